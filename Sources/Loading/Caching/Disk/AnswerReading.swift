import Glibc

/// Reads one file, and believes nothing.
enum AnswerReading {
  enum Result {
    case answer(StoredAnswer, Times)
    /// Not there, or of another key that has the same name.
    case nothing
    case damaged
    /// By the system, for this time.
    case refused(SystemError)
  }

  /// Seconds since 1970, by clocks that may have been wrong.
  struct Times {
    let stored: Int64
    let used: Int64
  }

  /// Read at once; most heads fit.
  private static let firstLength = 4096

  /// - Parameters:
  ///   - entry: The entry to read. Its secret is read only if the file has digests.
  ///   - withBody: False to leave the body empty and unchecked.
  ///   - longestBody: The number of bytes of the longest body that the cache stores. A file that claims a longer body is
  ///     damaged. The memory for the body is allocated before the body is checked, and a sparse file of any length takes
  ///     no space on disk.
  ///   - reserve: Called with the number of bytes of the body before it is read.
  static func read(
    _ entry: DiskEntry, in shard: borrowing Descriptor, withBody: Bool, longestBody: Int,
    reserving reserve: (Int) -> Void = { _ in }
  ) -> Result {
    do throws(SystemError) {
      // When it is used is noted less often than the system would.
      let file = try shard.open(entry.name.hex, flags: O_RDONLY | noAccessTime)
      return try read(file, entry, withBody: withBody, longestBody: longestBody, reserve)
    } catch {
      switch error.code {
      case ENOENT: return .nothing
      // A link, folder or device lies in the file's place. For other errors, a later read may succeed.
      case ELOOP, EISDIR, ENXIO, ENOTDIR: return .damaged
      default: return .refused(error)
      }
    }
  }

  /// `O_NOATIME`, which Glibc hides.
  private static let noAccessTime: Int32 = 0o1000000

  private static func read(
    _ file: borrowing Descriptor, _ entry: DiskEntry, withBody: Bool, longestBody: Int,
    _ reserve: (Int) -> Void
  ) throws(SystemError) -> Result {
    let status = try file.status
    let length = status.size
    guard status.isRegular, let (first, frame) = try start(of: file, length: length),
      frame.bodyLength <= longestBody,
      let read = AnswerFile.read(
        first[AnswerFile.fixedLength..<frame.startLength], ownURL: entry.identity.fullURL)
    else { return .damaged }
    guard read.key == entry.key.bytes[...] else { return .nothing }
    let notes = try bytes(
      of: file, at: frame.endOfBody, count: min(length - frame.endOfBody, 2 * AnswerFile.longestNotes))
    var answer =
      AnswerFile.lastHead(notes[...]).head
      .flatMap { AnswerFile.read($0, ownURL: entry.identity.fullURL) }
      .flatMap { $0.key == read.key ? $0.answer : nil } ?? read.answer
    if withBody {
      reserve(frame.bodyLength)
      answer.body = try bytes(
        of: file, at: frame.startLength, count: frame.bodyLength, known: first[frame.startLength...])
      guard answer.body.count == frame.bodyLength, ContentHash(answer.body) == frame.bodyHash else {
        return .damaged
      }
    }
    return .answer(answer, Times(stored: status.stored, used: status.used))
  }

  /// What comes before the body, and maybe some of that; nil if it is not as it was written.
  static func start(
    of file: borrowing Descriptor, length: Int
  ) throws(SystemError) -> (bytes: [UInt8], frame: AnswerFile.Frame)? {
    var first = try bytes(of: file, at: 0, count: min(length, firstLength))
    guard let frame = AnswerFile.Frame(first, fileLength: length) else { return nil }
    if first.count < frame.startLength {
      first += try bytes(of: file, at: first.count, count: frame.startLength - first.count)
    }
    return frame.isWhole(first.prefix(frame.startLength)) ? (first, frame) : nil
  }

  /// Fewer at the end of the file; `known` are the first of them.
  static func bytes(
    of file: borrowing Descriptor, at offset: Int, count: Int, known: ArraySlice<UInt8> = []
  ) throws(SystemError) -> [UInt8] {
    // An array of nothing is one that all threads share, and is not to be filled.
    guard count > 0 else { return [] }
    let (number, system) = (file.number, file.system)
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = buffer.update(fromContentsOf: known.prefix(count))
      let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
      do throws(SystemError) {
        filled += try Descriptor.read(number, into: rest, at: offset + filled, system: system)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
