import FoundationEssentials
import Glibc
import Vitrine

/// The source of a feed.
enum FeedSource {
  case ready(Feed)
  /// A list on the network, which must be loaded from this URL.
  case network(URL)
}

/// Finds the images that `--feed` names, before the window opens, so that a wrong name is reported immediately.
enum FeedLoader {
  private static let imageExtensions: Set<String> = ["jpg", "jpeg", "png", "webp", "gif"]

  /// Reads a feed on this machine. A feed on the network is loaded later by the downloader.
  static func find(_ location: String) throws(FeedError) -> FeedSource {
    if ["http://", "https://"].contains(where: location.lowercased().hasPrefix) {
      guard let url = URL(string: location), url.host()?.isEmpty == false else {
        throw FeedError(message: "not a URL: \(location.withoutSecrets)")
      }
      return .network(url)
    }
    var info = stat()
    guard stat(location, &info) == 0 else {
      throw FeedError(
        message:
          "there is no feed at \(location.withoutSecrets); name a folder of pictures, a text file or a URL")
    }
    let feed =
      info.st_mode & S_IFMT == S_IFDIR
      ? try folder(location) : try file(location, bytes: Int(clamping: info.st_size))
    guard feed.count > 0 else { throw FeedError(message: "the feed at \(location) names no picture") }
    return .ready(feed)
  }

  private static func folder(_ path: String) throws(FeedError) -> Feed {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw FeedError(message: "cannot read the folder \(path)")
    }
    let folder = URL(filePath: path, directoryHint: .isDirectory)
    let images = names.filter { !$0.hasPrefix(".") && imageExtensions.contains(fileExtension($0)) }
      .sorted()
    guard !images.isEmpty else {
      throw FeedError(
        message:
          "the folder \(path) holds no pictures (\(imageExtensions.sorted().joined(separator: ", ")))")
    }
    return Feed(
      name: path,
      items: images.map { name in
        let url = folder.appending(path: name, directoryHint: .notDirectory)
        return FeedItem(url: url.absoluteString, title: FeedList.title(of: url), detail: name)
      })
  }

  private static func file(_ path: String, bytes: Int) throws(FeedError) -> Feed {
    guard bytes <= FeedList.byteLimit, let data = FileManager.default.contents(atPath: path) else {
      throw FeedError(
        message: "cannot read \(path)" + (bytes > FeedList.byteLimit ? ": it has more than 16 MiB" : ""))
    }
    let base = URL(filePath: path, directoryHint: .notDirectory)
    return Feed(name: path, list: try FeedList(try checked(Array(data), of: path), base: base))
  }

  /// Returns `bytes` if the content is UTF-8 text without NUL bytes. Throws otherwise.
  nonisolated static func checked(_ bytes: [UInt8], of location: String) throws(FeedError) -> [UInt8] {
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
      throw FeedError(message: "\(location) is no list of URLs: it is not text")
    }
    return bytes
  }

  private static func fileExtension(_ name: String) -> String {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }
}
