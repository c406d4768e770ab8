import FoundationEssentials
import Glibc
import VitrineGraphics

/// Reads feeds on this machine, and parses lists.
enum FeedReader {
  /// The file name extensions of images, for messages.
  static var formats: String { FolderImages.extensions.sorted().joined(separator: ", ") }

  /// Returns the images of a folder and its subfolders, those of a list, or an image file alone.
  static func items(at path: String) throws(FeedError) -> Feed.Items {
    guard let stamp = FileStamp(path: path) else { throw .missing(path: path.withoutSecrets) }
    if stamp.isFolder { return Feed.Items(try folder(path)) }
    let url = URL(filePath: path, directoryHint: .notDirectory)
    if stamp.isFile, FolderImages.isImage(path) {
      return Feed.Items([item(url, stamp, detail: FeedList.detail(of: url))])
    }
    return Feed.Items(try list(try contents(of: path), name: path, base: url))
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
    guard let images = FolderImages(in: path) else { throw .unreadable(path: path) }
    guard !images.files.isEmpty else { throw .emptyFolder(path: path) }
    let folder = URL(filePath: path, directoryHint: .isDirectory)
    let name = folder.standardizedFileURL.lastPathComponent
    return images.files.map { file in
      // The detail is the folder, because the title is the name of the file.
      let folders = [Substring(name)] + file.path.split(separator: "/").dropLast()
      return item(
        folder.appending(path: file.path, directoryHint: .notDirectory), file.stamp,
        detail: folders.joined(separator: "/"))
    }
  }

  /// Returns the item of a file. The query, which a load of a file ignores, is the state of the file: a file that was
  /// replaced is another image, in memory as well.
  private static func item(_ url: URL, _ stamp: FileStamp, detail: String) -> Feed.Item {
    Feed.Item(url: "\(url.absoluteString)?\(stamp.version)", title: FeedList.title(of: url), detail: detail)
  }

  /// Parses a list, which must be UTF-8 text without NUL bytes and name an image.
  static func list(_ bytes: [UInt8], name: String, base: URL) throws(FeedError) -> FeedList {
    guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { throw .notText(name) }
    let list = try FeedList(bytes, base: base)
    guard !list.isEmpty else { throw .emptyList(name) }
    return list
  }
}
