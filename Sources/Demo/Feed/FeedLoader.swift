import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import Vitrine

/// Finds the pictures that `--feed` names, before the window opens, so that a wrong one is said at once.
enum FeedLoader {
  private static let pictureExtensions: Set<String> = ["jpg", "jpeg", "png", "webp", "gif"]
  private static let listLimit = 16 << 20

  static func load(_ place: String) throws(FeedError) -> Feed {
    let feed: Feed
    if ["http://", "https://"].contains(where: place.lowercased().hasPrefix) {
      guard let url = URL(string: place) else { throw FeedError(message: "not a URL: \(place)") }
      let list = try download(url)
      feed = Feed(name: place, items: try FeedList.parse(list.text, base: list.url))
    } else {
      var info = stat()
      guard stat(place, &info) == 0 else {
        throw FeedError(
          message: "there is no feed at \(place); name a folder of pictures, a text file or a URL")
      }
      feed = info.st_mode & S_IFMT == S_IFDIR ? try folder(place) : try file(place)
    }
    guard feed.count > 0 else { throw FeedError(message: "the feed at \(place) names no picture") }
    return feed
  }

  private static func folder(_ path: String) throws(FeedError) -> Feed {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw FeedError(message: "cannot read the folder \(path)")
    }
    let folder = URL(filePath: path, directoryHint: .isDirectory)
    let pictures = names.filter { !$0.hasPrefix(".") && pictureExtensions.contains(fileExtension($0)) }
      .sorted()
    guard !pictures.isEmpty else {
      throw FeedError(
        message:
          "the folder \(path) holds no pictures (\(pictureExtensions.sorted().joined(separator: ", ")))")
    }
    return Feed(
      name: path,
      items: pictures.map { name in
        let url = folder.appending(path: name, directoryHint: .notDirectory)
        return FeedItem(url: url.absoluteString, title: FeedList.title(of: url), detail: name)
      })
  }

  private static func file(_ path: String) throws(FeedError) -> Feed {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FeedError(message: "cannot read \(path)")
    }
    let base = URL(filePath: path, directoryHint: .notDirectory)
    return Feed(name: path, items: try FeedList.parse(try text(Array(data), of: path), base: base))
  }

  private static func text(_ bytes: [UInt8], of place: String) throws(FeedError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw FeedError(message: "\(place) is no list of URLs: it is not text")
    }
    return text
  }

  private static func fileExtension(_ name: String) -> String {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  // MARK: Over the network

  /// Waits for a list, and says where it came from after redirects; the transport's time limits bound the wait.
  private static func download(_ url: URL) throws(FeedError) -> (text: String, url: URL) {
    let transport = CurlTransport()
    let list = Download()
    _ = transport.start(TransportRequest(url: url, bodyLimit: listLimit), receiver: list)
    list.finished.wait()
    do {
      let (bytes, source) = try list.answer()
      return (try text(bytes, of: url.absoluteString), source ?? url)
    } catch let error as ImageError {
      throw FeedError(message: "cannot load the feed \(url.absoluteString): \(error)")
    } catch {
      throw error as? FeedError ?? FeedError(message: "cannot load the feed \(url.absoluteString)")
    }
  }

  private nonisolated final class Download: TransportReceiver {
    let finished = DispatchSemaphore(value: 0)
    private let state = Mutex((bytes: [UInt8](), url: URL?.none, error: ImageError?.none))

    func transportDidReceive(_ response: TransportResponse) { state.withLock { $0.url = response.url } }

    func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
      state.withLock { $0.bytes.append(contentsOf: bytes) }
    }

    func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
      state.withLock { if case .failure(let error) = result { $0.error = error } }
      finished.signal()
    }

    func answer() throws(ImageError) -> (bytes: [UInt8], url: URL?) {
      let (bytes, url, error) = state.withLock { $0 }
      if let error { throw error }
      return (bytes, url)
    }
  }
}
