package import VitrineGraphics

/// A decoder that also decodes parts of large images.
package protocol ImageRegionDecoding: ImageDecoding {
  /// Returns the peak number of bytes that `regionDecoder(for:options:cancellation:)` allocates, including the decoder.
  func memoryForRegions(of bytes: EncodedBytes) -> Int
  /// Returns a decoder of regions of an image. Reads a whole JPEG once, which takes about a quarter of the time of a
  /// decode; of a PNG, only the chunks without pixels.
  ///
  /// Throws `.notSupported` for an image that is decoded only as a whole, and the errors of `decode`.
  func regionDecoder(
    for bytes: EncodedBytes, options: DecodeOptions, cancellation: DecodeCancellation
  ) throws(RegionError) -> any ImageRegionDecoder
}

/// The decoder of regions of one image. May be used by any number of threads.
package protocol ImageRegionDecoder: Sendable {
  var layout: RegionLayout { get }
  /// The format of the encoded image.
  var format: ImageFormat { get }
  /// The number of bytes that the decoder keeps, without those of the encoded image.
  var retainedBytes: Int { get }
  /// Returns the rows of the encoded image that a region needs. Regions with equal rows are best decoded together, and
  /// those with smaller row numbers first. Returns `nil` for a region outside of the image, and if each region is decoded
  /// alone.
  func rows(of region: ImageRegion) -> Range<Int>?
  /// Returns the peak number of bytes of decoding a region, including the decoded pixels.
  func memoryNeeded(for region: ImageRegion) -> Int
  /// Decodes a region on the calling thread. The pixels equal those of the whole image scaled down by the same
  /// factor. A JPEG is read from the first row of the region on. A PNG is read from the nearest kept place above the
  /// region: one of up to 32 places that earlier regions have passed, a place near the end of one of the last two
  /// regions, or the beginning.
  ///
  /// Throws `.decoding` for damaged data and for a region outside of the image, and `.cancelled`.
  func decode(_ region: ImageRegion, cancellation: DecodeCancellation) throws(ImageError) -> Bitmap
}

/// An error of decoding regions.
package enum RegionError: Error {
  /// The image is decoded only as a whole: its format or its coding does not allow parts.
  case notSupported
  /// The encoded image is not the one from which the shown image was made.
  case replaced
  /// The image cannot be loaded or decoded.
  case image(ImageError)
}

/// The bytes of an encoded image, which are read in parts. May be used by any number of threads.
package struct EncodedBytes: Sendable {
  /// Reads bytes from an offset on. Returns the number of bytes read; 0 at the end, and if reading fails.
  package typealias Read = @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int

  /// The number of bytes.
  package let count: Int
  private let readBytes: Read

  package init(count: Int, read: @escaping Read) {
    self.count = max(0, count)
    readBytes = read
  }

  /// Bytes in memory.
  package init(_ bytes: [UInt8]) {
    self.init(count: bytes.count) { offset, buffer in
      guard offset >= 0, offset < bytes.count else { return 0 }
      let count = min(buffer.count, bytes.count - offset)
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
      }
      return count
    }
  }

  /// Reads up to the size of the buffer. Returns the number of bytes read; 0 at the end, and if reading fails.
  package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard offset >= 0, offset < count, !buffer.isEmpty else { return 0 }
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, count - offset)])
    return max(0, min(readBytes(offset, room), room.count))
  }

  /// Returns the first `length` bytes, or fewer if there are fewer or reading fails.
  package func prefix(_ length: Int) -> [UInt8] { read(at: 0, count: length) }

  /// Returns `length` bytes from an offset on, or fewer if there are fewer or reading fails.
  package func read(at offset: Int, count length: Int) -> [UInt8] {
    guard offset >= 0, offset < count else { return [] }
    let length = min(max(0, length), count - offset)
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
      filled = 0
      while filled < length {
        let read = read(
          at: offset + filled,
          into: UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<length]))
        guard read > 0 else { return }
        filled += read
      }
    }
  }
}
