import FoundationEssentials
import VitrineGalleryServer

/// The pictures that come with the demo, served over HTTP by a server of its own on this machine.
final class Gallery {
  /// Rows of the feed; each has a URL of its own.
  static let count = 10_000

  /// How the server answers.
  enum Mood: String, CaseIterable {
    case fast = "Fast"
    case slow = "Slow"
    case down = "Down"
  }

  private let server: GalleryServer
  private let latency: Behaviour.Latency
  private let pictures: [(file: String, title: String, detail: String)]

  /// - Parameters:
  ///   - assets: the folder that holds `gallery/` and `buttons/`.
  ///   - latency: milliseconds of each answer; nil varies them around 150 by picture.
  init(assets: String, latency: Int?) throws(FeedError) {
    self.latency = latency.map { $0 == 0 ? .none : .fixed($0) } ?? .varied(around: 150)
    guard let titles = FileManager.default.contents(atPath: assets + "/gallery/titles.tsv"),
      let text = String(validating: titles, as: UTF8.self)
    else {
      throw FeedError(
        message:
          "the demo's pictures are not at \(assets); set VITRINE_ASSETS to the repository's Assets folder")
    }
    pictures = text.split(whereSeparator: \.isNewline).compactMap { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return parts.count >= 3 ? (parts[0], parts[1], parts[2]) : nil
    }
    do {
      server = try GalleryServer(pictures: assets, behaviour: Behaviour(latency: self.latency), logBytes: 0)
    } catch {
      throw FeedError(message: "the embedded server does not start: \(error)")
    }
  }

  func stop() { server.stop() }

  /// Names the gallery's pictures by an address that is the same in each run.
  var withoutPort: @Sendable (URL) -> URL {
    let base = server.baseURL + "/"
    return { url in
      let text = url.absoluteString
      guard text.hasPrefix(base) else { return url }
      return URL(string: "http://gallery.invalid/" + text.dropFirst(base.count)) ?? url
    }
  }

  var feed: Feed {
    Feed(name: "Gallery", count: pictures.isEmpty ? 0 : Self.count) {
      [pictures, base = server.baseURL] index in
      let picture = pictures[index % pictures.count]
      return FeedItem(
        url: "\(base)/gallery/gallery/\(picture.file)?row=\(index + 1)",
        title: picture.title, detail: "No. \(index + 1)  ·  \(picture.detail)")
    }
  }

  /// The address of a picture by its number, from 1; another `query` makes it another one.
  func picture(_ number: Int, query: String) -> String {
    let file = pictures.isEmpty ? "" : pictures[(number - 1) % pictures.count].file
    return "\(server.baseURL)/gallery/gallery/\(file)?\(query)"
  }

  /// The address of a picture of the buttons; `query` makes the server misbehave.
  func button(_ file: String, query: String = "") -> String {
    "\(server.baseURL)/gallery/buttons/\(file)\(query.isEmpty ? "" : "?" + query)"
  }

  /// The address of a picture of the feed; `query` makes the server misbehave.
  func picture(_ file: String, query: String = "") -> String {
    "\(server.baseURL)/gallery/gallery/\(file)\(query.isEmpty ? "" : "?" + query)"
  }

  var mood: Mood = .fast {
    didSet {
      switch mood {
      case .fast: server.behaviour = Behaviour(latency: latency)
      case .slow: server.behaviour = Behaviour(latency: .varied(around: 1500), bytesPerSecond: 200_000)
      case .down: server.behaviour = Behaviour(isDown: true)
      }
    }
  }
}
