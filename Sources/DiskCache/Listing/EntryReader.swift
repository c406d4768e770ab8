import FoundationEssentials
import Glibc
import VitrineLoading

/// Reads response files without knowing their requests, for listings, checks and archives.
enum EntryReader {
  /// The number of bytes of a body that are read at a time.
  static let chunkBytes = 64 << 10

  enum Result {
    case content(DiskImageCache.Entry.Content)
    case damaged
    /// The file has been removed in the meantime.
    case missing
    /// The system refused to read the file.
    case failed(SystemError)

    /// The result of a failure to open or read a file.
    init(_ error: SystemError) {
      switch error.code {
      case ENOENT: self = .missing
      // A link, folder or device has taken the file's place.
      case ELOOP, EISDIR, ENXIO, ENOTDIR: self = .damaged
      default: self = .failed(error)
      }
    }
  }

  /// Stands in for the URL of the request, which a file does not need to record.
  private static let unknownURL = URL(filePath: "/")

  /// Reads a file, and reads a file that seems to be damaged a second time, as lookups do.
  ///
  /// - Parameter withBody: True to verify the body as well. The body is read in chunks.
  static func read(_ name: String, in shard: borrowing Descriptor, withBody: Bool) -> Result {
    let first = readOnce(name, in: shard, withBody: withBody)
    guard case .damaged = first else { return first }
    return readOnce(name, in: shard, withBody: withBody)
  }

  private static func readOnce(_ name: String, in shard: borrowing Descriptor, withBody: Bool) -> Result {
    do throws(SystemError) {
      let file = try ResponseReader.open(name, in: shard)
      return try content(of: file, withBody: withBody).map { .content($0) } ?? .damaged
    } catch {
      return Result(error)
    }
  }

  /// Returns the contents of an open file; nil if the file is damaged.
  static func content(
    of file: borrowing Descriptor, withBody: Bool
  ) throws(SystemError) -> DiskImageCache.Entry.Content? {
    let status = try file.status
    guard status.isRegular, let (first, frame) = try ResponseReader.start(of: file, length: status.size),
      frame.bodyLength <= ResponseFile.maximumBodyBytes,
      let start = ResponseFile.read(
        first[ResponseFile.fixedLength..<frame.startLength], requestURL: unknownURL),
      let key = StoredKey(start.key)
    else { return nil }
    let notes = try ResponseReader.bytes(
      of: file, at: frame.endOfBody,
      count: min(status.size - frame.endOfBody, 2 * ResponseFile.maximumNotesBytes))
    let last = ResponseFile.lastHead(notes[...]).head
      .flatMap { ResponseFile.read($0, requestURL: unknownURL) }
      .flatMap { $0.key == start.key ? $0 : nil }
    if withBody, try hash(of: file, frame) != frame.bodyHash { return nil }
    let head = last ?? start
    return DiskImageCache.Entry.Content(
      key: key, url: head.listedURL ?? start.listedURL,
      isRedirected: head.response.response.url != unknownURL, response: head.response,
      bodyBytes: frame.bodyLength, fileBytes: status.size, stored: status.stored, used: status.used)
  }

  private static func hash(
    of file: borrowing Descriptor, _ frame: ResponseFile.Frame
  ) throws(SystemError) -> ContentHash? {
    var hasher = ContentHasher()
    var offset = frame.startLength
    while offset < frame.endOfBody {
      let bytes = try ResponseReader.bytes(
        of: file, at: offset, count: min(chunkBytes, frame.endOfBody - offset))
      guard !bytes.isEmpty else { return nil }
      hasher.append(bytes)
      offset += bytes.count
    }
    return hasher.hash
  }
}

/// The key in a response file: two digests, see `DiskKey`.
struct StoredKey: Hashable {
  let bytes: [UInt8]

  /// Returns nil if the bytes are no key.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count == 64 else { return nil }
    self.bytes = Array(bytes)
  }

  /// True if the request had a cookie or a login, whose digest was made with the key of a folder.
  var isPrivate: Bool { bytes[32...].contains { $0 != 0 } }
}
