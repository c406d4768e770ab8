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

  /// - Parameter withBody: false leaves the body empty, and damage in it unseen.
  static func read(
    _ name: ContentHash, in shard: borrowing Descriptor, key: DiskKey, withBody: Bool
  ) -> Result {
    do throws(SystemError) {
      // When it is used is noted less often than the system would.
      let file = try Descriptor(name.hex, in: shard.number, flags: O_RDONLY | noAccessTime)
      return try read(file, key: key, withBody: withBody)
    } catch {
      switch error.code {
      case ENOENT: return .nothing
      // Links, folders, devices; sectors that cannot be read any more.
      case ELOOP, EISDIR, ENXIO, ENOTDIR, EIO: return .damaged
      default: return .refused(error)
      }
    }
  }

  /// `O_NOATIME`, which Glibc hides.
  private static let noAccessTime: Int32 = 0o1000000

  private static func read(
    _ file: borrowing Descriptor, key: DiskKey, withBody: Bool
  ) throws(SystemError) -> Result {
    let status = try file.status()
    let length = Int(status.st_size)
    guard status.st_mode & S_IFMT == S_IFREG, length >= AnswerFile.fixedLength else { return .damaged }
    var first = try bytes(of: file, at: 0, count: min(length, firstLength))
    guard let frame = AnswerFile.Frame(first, fileLength: length) else { return .damaged }
    if first.count < frame.startLength {
      first += try bytes(of: file, at: first.count, count: frame.startLength - first.count)
    }
    let start = first.prefix(frame.startLength)
    guard frame.isWhole(start), let read = AnswerFile.read(start) else { return .damaged }
    guard read.key == key.bytes[...] else { return .nothing }
    var answer = read.answer
    if withBody {
      answer.body = try bytes(
        of: file, at: frame.startLength, count: frame.bodyLength, known: first[frame.startLength...])
      guard answer.body.count == frame.bodyLength, ContentHash(answer.body) == frame.bodyHash else {
        return .damaged
      }
    }
    return .answer(
      answer, Times(stored: Int64(status.st_mtim.tv_sec), used: Int64(status.st_atim.tv_sec)))
  }

  /// Fewer at the end of the file; `known` are the first of them.
  private static func bytes(
    of file: borrowing Descriptor, at offset: Int, count: Int, known: ArraySlice<UInt8> = []
  ) throws(SystemError) -> [UInt8] {
    let number = file.number
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let known = known.prefix(count)
      filled = buffer.update(fromContentsOf: known)
      do throws(SystemError) {
        let rest = UnsafeMutableRawBufferPointer(buffer)[filled..<count]
        filled += try Descriptor.read(
          number, into: UnsafeMutableRawBufferPointer(rebasing: rest), at: offset + known.count)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
