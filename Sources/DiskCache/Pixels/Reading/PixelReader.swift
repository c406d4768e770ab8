import Glibc
import VitrineGraphics
import VitrineLoading

/// Reads records of packs, and trusts no data in a file before verification.
///
/// Files are read and never mapped into memory. Another process may shorten a file at any time: then a read returns
/// fewer bytes, which is a miss, while an access to mapped memory would end the program (SIGBUS). A read also costs no
/// page fault per page, and the pixels stay where they are when the file is removed.
enum PixelReader {
  enum Result {
    case pixels(StoredPixels)
    /// The record has the pixels of another body.
    case otherBody
    /// The record is damaged, or is not the record of the entry.
    case damaged
    /// The record exceeds the limit of the cache; a cache with another limit has written it.
    case tooLarge
  }

  /// Reads and verifies the record of an entry.
  ///
  /// - Parameters:
  ///   - maximumBytes: The number of bytes of the largest image to read. The memory is allocated before the record is
  ///     verified.
  ///   - reserve: Called with the number of bytes of the pixels before the memory is allocated.
  static func read(
    _ entry: PixelEntry, _ query: PixelQuery, from pack: PackFile, maximumBytes: Int,
    reserving reserve: (Int) -> Void
  ) throws(SystemError) -> Result {
    guard let range = entry.range, let pixelBytes = entry.pixelBytes,
      try pack.reaches(range.upperBound)
    else { return .damaged }
    guard pixelBytes <= maximumBytes else { return .tooLarge }
    reserve(pixelBytes)
    let pixels = PixelBuffer(byteCount: pixelBytes, isZeroed: false)
    guard let record = try record(of: entry, in: pack, pixels: pixels.bytes),
      record.width == Int(entry.width), record.height == Int(entry.height), query.isMatch(record.keyDigest)
    else { return .damaged }
    guard record.body == query.body else { return .otherBody }
    guard ContentHash(UnsafeRawBufferPointer(pixels.bytes)) == record.pixelHash else { return .damaged }
    return .pixels(StoredPixels(image: record.image(pixels), isAnimated: record.isAnimated))
  }

  /// Reads the header of an entry's record, and the pixels behind it straight into the memory of the image. Returns nil
  /// if the header is damaged or the file is too short.
  static func record(
    of entry: PixelEntry, in pack: PackFile, pixels: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> PixelRecord? {
    var (failure, isWhole) = (SystemError?.none, false)
    let length = PixelRecord.headerLength(hasMetadata: entry.hasMetadata)
    let header = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      do throws(SystemError) {
        let first = UnsafeMutableRawBufferPointer(buffer)
        let read = try pack.file.read(
          into: UnsafeMutableRawBufferPointer(rebasing: first[..<length]), pixels,
          at: Int(entry.offset))
        count = min(read, length)
        isWhole = read == length + pixels.count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return isWhole ? PixelRecord(header) : nil
  }
}
