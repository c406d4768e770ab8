import Glibc
import VitrineLoading

/// Reads response files, and trusts no data in a file before verification.
enum ResponseReader {
  enum Result {
    case response(StoredResponse, Details)
    /// The file does not exist, or holds the response of another key whose file name is equal.
    case notFound
    case damaged
    /// The system refused to read the file; a later read may succeed.
    case failed(SystemError)
  }

  /// The fields of a file that are not part of the response.
  struct Details {
    let status: FileStatus
    /// The times of the store and of the last use in seconds since 1970, by clocks that may have been wrong.
    var stored: Int64 { status.stored }
    var used: Int64 { status.used }
    /// The number of bytes of the body, and their hash.
    let bodyLength: Int
    let bodyHash: ContentHash
    /// The bytes of the current head.
    let head: ArraySlice<UInt8>
  }

  /// The number of bytes of the first read of a file that is not read at once. Most heads fit.
  private static let firstLength = 4096
  /// The length in bytes of the longest file that is read at once: a further system call takes longer than copying the
  /// body from the first bytes.
  private static let longestAtOnce = 16 << 10

  /// Reads and verifies the file of an entry.
  ///
  /// - Parameters:
  ///   - withBody: False to leave the body empty and unverified.
  ///   - maximumBodyBytes: The length in bytes of the longest body that the cache stores. A file that claims a longer
  ///     body is damaged. The memory for the body is allocated before the body is verified, and a sparse file of any
  ///     length takes no space on disk.
  ///   - reserve: Called with the number of bytes of the body before the body is read.
  static func read(
    _ entry: DiskEntry, in shard: borrowing Descriptor, withBody: Bool, maximumBodyBytes: Int,
    reserving reserve: (Int) -> Void = { _ in }
  ) -> Result {
    read(entry, withBody: withBody, maximumBodyBytes: maximumBodyBytes, reserving: reserve) {
      () throws(SystemError) in try open(entry.name.hex, in: shard)
    }
  }

  /// Reads and verifies the file of an entry that `open` returns.
  static func read(
    _ entry: DiskEntry, withBody: Bool, maximumBodyBytes: Int, reserving reserve: (Int) -> Void,
    from open: () throws(SystemError) -> Descriptor
  ) -> Result {
    do throws(SystemError) {
      let file = try open()
      return try read(file, entry, withBody: withBody, maximumBodyBytes: maximumBodyBytes, reserve)
    } catch {
      switch error.code {
      case ENOENT: return .notFound
      // A link, folder or device has taken the file's place. After any other error, a later read may succeed.
      case ELOOP, EISDIR, ENXIO, ENOTDIR: return .damaged
      default: return .failed(error)
      }
    }
  }

  /// Reads a file like `read`, and reads a file that seems to be damaged a second time: a transient error of the disk or
  /// the memory must not remove the file.
  static func readTwiceIfDamaged(
    _ entry: DiskEntry, in shard: borrowing Descriptor, withBody: Bool, maximumBodyBytes: Int,
    reserving reserve: (Int) -> Void = { _ in }
  ) -> Result {
    let first = read(
      entry, in: shard, withBody: withBody, maximumBodyBytes: maximumBodyBytes, reserving: reserve)
    guard case .damaged = first else { return first }
    return read(entry, in: shard, withBody: withBody, maximumBodyBytes: maximumBodyBytes, reserving: reserve)
  }

  /// Returns the body of an entry, which stays on disk and is not verified; nil if the file is missing, damaged or cannot
  /// be read.
  static func openBody(
    _ entry: DiskEntry, in shard: borrowing Descriptor, maximumBodyBytes: Int
  ) -> OpenBody? {
    guard let file = try? open(entry.name.hex, in: shard), let status = try? file.status, status.isRegular,
      let start = try? start(of: file, length: status.size), start.frame.bodyLength <= maximumBodyBytes
    else { return nil }
    return OpenBody(file, start: start.frame.startLength, count: start.frame.bodyLength)
  }

  /// Opens a file for reading. Reading does not change the access time: the cache sets that time itself, less often
  /// than the system would.
  static func open(_ name: String, in shard: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try open(name, in: shard.number, system: shard.system)
  }

  /// Opens a file for reading; see `open(_:in:)`. `name` is relative to `folder`, unless it is a whole path.
  static func open(
    _ name: String, in folder: Int32 = AT_FDCWD, system: any DiskSystem
  ) throws(SystemError) -> Descriptor {
    do throws(SystemError) {
      return try Descriptor(name, in: folder, flags: O_RDONLY | Descriptor.noAccessTime, system: system)
    } catch {
      // Only the owner of a file may leave the access time unchanged. A seed may belong to root.
      guard error.code == EPERM else { throw error }
      return try Descriptor(name, in: folder, flags: O_RDONLY, system: system)
    }
  }

  private static func read(
    _ file: borrowing Descriptor, _ entry: DiskEntry, withBody: Bool, maximumBodyBytes: Int,
    _ reserve: (Int) -> Void
  ) throws(SystemError) -> Result {
    let status = try file.status
    let length = status.size
    let firstCount = withBody && length <= longestAtOnce ? length : firstLength
    guard status.isRegular, let (first, frame) = try start(of: file, length: length, firstCount: firstCount),
      frame.bodyLength <= maximumBodyBytes
    else { return .damaged }
    let firstHead = first[ResponseFile.fixedLength..<frame.startLength]
    guard let read = ResponseFile.read(firstHead, requestURL: entry.identity.fullURL) else { return .damaged }
    guard read.key == entry.key.bytes[...] else { return .notFound }
    let notes = try bytes(
      of: file, at: frame.endOfBody, count: min(length - frame.endOfBody, 2 * ResponseFile.maximumNotesBytes),
      alreadyRead: first.dropFirst(frame.endOfBody))
    let newer = ResponseFile.lastHead(notes[...]).head.flatMap { head in
      ResponseFile.read(head, requestURL: entry.identity.fullURL)
        .flatMap { $0.key == read.key ? (head: head, response: $0.response) : nil }
    }
    var (head, response) = newer ?? (firstHead, read.response)
    if withBody {
      reserve(frame.bodyLength)
      response.body = try bytes(
        of: file, at: frame.startLength, count: frame.bodyLength, alreadyRead: first[frame.startLength...])
      guard response.body.count == frame.bodyLength, ContentHash(response.body) == frame.bodyHash else {
        return .damaged
      }
    }
    return .response(
      response,
      Details(
        status: status, bodyLength: frame.bodyLength, bodyHash: frame.bodyHash, head: head))
  }

  /// Reads the bytes before the body, and possibly more; nil if the start of the file is damaged.
  ///
  /// - Parameter firstCount: The number of bytes to read first. More are read if the head is longer.
  static func start(
    of file: borrowing Descriptor, length: Int, firstCount: Int = firstLength
  ) throws(SystemError) -> (bytes: [UInt8], frame: ResponseFile.Frame)? {
    var first = try bytes(of: file, at: 0, count: min(length, firstCount))
    guard let frame = ResponseFile.Frame(first, fileLength: length) else { return nil }
    if first.count < frame.startLength {
      first += try bytes(of: file, at: first.count, count: frame.startLength - first.count)
    }
    return frame.isIntact(first.prefix(frame.startLength)) ? (first, frame) : nil
  }

  /// Reads `count` bytes at `offset`, or fewer at the end of the file. `alreadyRead` contains the first of these bytes,
  /// if any have been read.
  static func bytes(
    of file: borrowing Descriptor, at offset: Int, count: Int, alreadyRead: ArraySlice<UInt8> = []
  ) throws(SystemError) -> [UInt8] {
    // All empty arrays share one buffer, which must not be written to.
    guard count > 0 else { return [] }
    let (number, system) = (file.number, file.system)
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = buffer.update(fromContentsOf: alreadyRead.prefix(count))
      let unfilled = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
      do throws(SystemError) {
        filled += try Descriptor.read(number, into: unfilled, at: offset + filled, system: system)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
