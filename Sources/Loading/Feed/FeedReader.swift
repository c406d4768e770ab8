import FoundationEssentials
import Glibc
import VitrineGraphics

/// Reads feeds on this machine, and parses lists.
enum FeedReader {
  private static let imageExtensions: Set<String> = ["jpg", "jpeg", "png", "webp", "gif"]
  /// The file name extensions of images, for messages.
  static var formats: String { imageExtensions.sorted().joined(separator: ", ") }

  /// Returns the images of a folder, sorted by name, or those of a list.
  static func items(at path: String) throws(FeedError) -> Feed.Items {
    var info = stat()
    guard stat(path, &info) == 0 else { throw .missing(path: path.withoutSecrets) }
    if info.st_mode & S_IFMT == S_IFDIR { return Feed.Items(try folder(path)) }
    let base = URL(filePath: path, directoryHint: .notDirectory)
    return Feed.Items(try list(try contents(of: path), name: path, base: base))
  }

  /// Returns the bytes of a file, which may be a device without an end.
  private static func contents(of path: String) throws(FeedError) -> [UInt8] {
    guard let file = fopen(path, "re") else { throw .unreadable(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { break }
      bytes += chunk[..<count]
      guard bytes.count <= FeedList.byteLimit else { throw .tooLong(path, limit: FeedList.byteLimitText) }
    }
    guard ferror(file) == 0 else { throw .unreadable(path: path) }
    return bytes
  }

  private static func folder(_ path: String) throws(FeedError) -> [Feed.Item] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw .unreadable(path: path)
    }
    let folder = URL(filePath: path, directoryHint: .isDirectory)
    let images = names.filter { !$0.hasPrefix(".") && imageExtensions.contains(fileExtension($0)) }.sorted()
    guard !images.isEmpty else { throw .emptyFolder(path: path) }
    return images.map { name in
      let url = folder.appending(path: name, directoryHint: .notDirectory)
      return item(url, FileStamp(path: "\(path)/\(name)"), detail: name)
    }
  }

  /// Returns the item of a file. The query, which a load of a file ignores, is the state of the file: a file that was
  /// replaced is another image, in memory as well.
  private static func item(_ url: URL, _ stamp: FileStamp?, detail: String) -> Feed.Item {
    let query = stamp.map { "?\($0.version)" } ?? ""
    return Feed.Item(url: url.absoluteString + query, title: FeedList.title(of: url), detail: detail)
  }

  /// Parses a list, which must be UTF-8 text without NUL bytes and name an image.
  static func list(_ bytes: [UInt8], name: String, base: URL) throws(FeedError) -> FeedList {
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { throw .notText(name) }
    let list = try FeedList(bytes, base: base)
    guard !list.isEmpty else { throw .emptyList(name) }
    return list
  }

  private static func fileExtension(_ name: String) -> String {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }
}
