import FoundationEssentials
import Vitrine
import VitrineGalleryServer

/// The images that come with the demo, served over HTTP by an embedded server on this machine.
final class Gallery {
  /// The number of rows in the feed. Each row has a distinct URL.
  static let count = 10_000

  /// The behaviour of the embedded server, chosen in the header.
  enum ServerMode: String, CaseIterable {
    case fast = "Fast"
    case slow = "Slow"
    case down = "Down"
  }

  private let server: GalleryServer
  private let latency: Behaviour.Latency
  private let images: [(file: String, title: String, detail: String)]

  /// Starts the embedded server.
  ///
  /// - Parameters:
  ///   - assets: The folder that contains `gallery/` and `buttons/`.
  ///   - latency: The delay of each response in milliseconds; `nil` varies it by image around 150.
  init(assets: String, latency: Int?) throws(DemoError) {
    self.latency = latency.map { $0 == 0 ? .none : .fixed($0) } ?? .varied(around: 150)
    guard let titles = FileManager.default.contents(atPath: assets + "/gallery/titles.tsv"),
      let text = String(validating: titles, as: UTF8.self)
    else {
      throw DemoError(
        message:
          "the images of the demo are not at \(assets); set VITRINE_ASSETS to the repository's Assets folder")
    }
    images = text.split(whereSeparator: \.isNewline).compactMap { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return parts.count >= 3 ? (parts[0], parts[1], parts[2]) : nil
    }
    do {
      server = try GalleryServer(images: assets, behaviour: Behaviour(latency: self.latency), logBytes: 0)
    } catch {
      throw DemoError(message: "the embedded server does not start: \(error)")
    }
  }

  func stop() { server.stop() }

  /// A function that removes the server's port from the URLs of the gallery, so that cache keys are equal in each run.
  var withoutPort: @Sendable (URL) -> URL {
    let base = server.baseURL + "/"
    return { url in
      let text = url.absoluteString
      guard text.hasPrefix(base) else { return url }
      return URL(string: "http://gallery.invalid/" + text.dropFirst(base.count)) ?? url
    }
  }

  var feed: Feed {
    let count = images.isEmpty ? 0 : Self.count
    let items = Feed.Items(count: count) { [images, base = server.baseURL] index in
      let image = images[index % images.count]
      return Feed.Item(
        url: "\(base)/gallery/gallery/\(image.file)?row=\(index + 1)",
        title: image.title, detail: image.detail)
    }
    return Feed(name: "Gallery", items: items)
  }

  /// Returns the first images, at most `count`, with URLs of their own.
  func items(_ count: Int, query: String) -> [Feed.Item] {
    images.prefix(count).map { image in
      Feed.Item(url: imageURL(image.file, query: query), title: image.title, detail: image.detail)
    }
  }

  /// Returns the URL of the image with a number, which starts at 1 and wraps around. Another `query` makes a distinct
  /// URL.
  func imageURL(_ number: Int, query: String) -> String {
    let file = images.isEmpty ? "" : images[(number - 1) % images.count].file
    return "\(server.baseURL)/gallery/gallery/\(file)?\(query)"
  }

  /// Returns the URL of an image for buttons. `query` can make the server misbehave.
  func button(_ file: String, query: String = "") -> String {
    "\(server.baseURL)/gallery/buttons/\(file)\(query.isEmpty ? "" : "?" + query)"
  }

  /// Returns the URL of an animated image.
  func animation(_ file: String, query: String) -> String {
    "\(server.baseURL)/gallery/animations/\(file)?\(query)"
  }

  /// The URL of a live stream, which shows photos one after another as a camera does.
  var live: String { "\(server.baseURL)/live/gallery.mjpeg?fps=2" }

  /// Returns the URL of an image of the feed. `query` can make the server misbehave.
  func imageURL(_ file: String, query: String = "") -> String {
    "\(server.baseURL)/gallery/gallery/\(file)\(query.isEmpty ? "" : "?" + query)"
  }

  var serverMode: ServerMode = .fast {
    didSet {
      switch serverMode {
      case .fast: server.behaviour = Behaviour(latency: latency)
      case .slow: server.behaviour = Behaviour(latency: .varied(around: 1500), bytesPerSecond: 200_000)
      case .down: server.behaviour = Behaviour(isDown: true)
      }
    }
  }
}
