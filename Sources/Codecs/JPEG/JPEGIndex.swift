import CCodecs
import VitrineGraphics
import VitrineLoading

/// The positions in a baseline JPEG from which its rows of MCUs can be decoded.
///
/// Unchecked: the C structure is not changed after the initializer, and functions that read it keep their state
/// elsewhere.
final class JPEGIndex: @unchecked Sendable {
  private let index: UnsafeMutablePointer<vitrine_jpeg_index>
  /// The size of an MCU in pixels.
  let mcuSize: PixelSize
  /// The number of MCUs in a row, and of rows.
  let mcuCount: PixelSize
  private let bytes: EncodedBytes

  /// Reads the scan of a JPEG. Returns `nil` for an image that is decoded only as a whole: unusual, damaged, or with
  /// several scans. Throws `.cancelled`.
  ///
  /// - Parameter start: The first bytes of the image, which hold the header.
  init?(
    start: UnsafeBufferPointer<UInt8>, of bytes: EncodedBytes, cancellation: DecodeCancellation
  ) throws(ImageError) {
    guard let index = vitrine_jpeg_index_open(start.baseAddress, start.count) else { return nil }
    self.index = index
    self.bytes = bytes
    let image = index.pointee.image.pointee
    mcuSize = PixelSize(width: 8 * Int(image.planes.0.horizontal), height: 8 * Int(image.planes.0.vertical))
    mcuCount = PixelSize(width: Int(image.columns), height: Int(image.rows))
    let result = ScanInput(bytes, cancellation).withContext { context in
      vitrine_jpeg_index_build(index, ScanInput.read, context, ScanInput.isCancelled)
    }
    switch result {
    case vitrine_dc_complete: break
    case vitrine_dc_cancelled: throw .cancelled
    default: return nil
    }
  }

  deinit { vitrine_jpeg_index_close(index) }

  /// The size in bytes.
  var byteCount: Int { Int(vitrine_jpeg_index_bytes(index)) }

  /// Returns the maximum number of bytes of an index.
  static func bytes(of header: JPEGHeader) -> Int {
    let columns = (header.size.width + 7) / 8 / vitrine_jpeg_point_step + 1
    let points = ByteCount.product(columns, (header.size.height + 7) / 8 + 1)
    return ByteCount.sum(
      ByteCount.product(points, MemoryLayout<vitrine_jpeg_point>.stride),
      MemoryLayout<vitrine_jpeg_index>.size, MemoryLayout<vitrine_dc_image>.size, scanBytes)
  }

  /// The bytes that reading a scan takes.
  static let scanBytes = MemoryLayout<vitrine_jpeg_scan>.size

  /// Returns the maximum number of bytes of a part.
  func partBytes(_ mcus: PixelArea) -> Int {
    // A byte becomes two if it is 0xFF, and a DC code may become longer.
    let scan = ByteCount.product(3, Int(clamping: vitrine_jpeg_index_scan_bytes(index, Self.rectangle(mcus))))
    let codes = ByteCount.product(mcus.width, mcus.height, 10)
    return ByteCount.sum(scan, codes, 64 << 10)
  }

  /// Calls `body` with a JPEG of a rectangle of MCUs, which must lie inside the image. Throws `.decoding` if the bytes
  /// have changed since the index was made, and `.cancelled`.
  func withPart<Result>(
    _ mcus: PixelArea, cancellation: DecodeCancellation,
    _ body: (UnsafeBufferPointer<UInt8>) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    var part = vitrine_jpeg_part()
    defer { vitrine_jpeg_part_close(&part) }
    let (index, limit) = (index, partBytes(mcus))
    let result = ScanInput(bytes, cancellation).withContext { context in
      vitrine_jpeg_index_copy(
        index, Self.rectangle(mcus), limit, &part, ScanInput.read, context, ScanInput.isCancelled)
    }
    switch result {
    case vitrine_dc_complete: break
    case vitrine_dc_cancelled: throw .cancelled
    default: throw .decoding(.jpeg, message: "a part of the pixels is damaged")
    }
    return try body(UnsafeBufferPointer(start: part.bytes, count: part.count))
  }

  private static func rectangle(_ area: PixelArea) -> vitrine_jpeg_mcus {
    vitrine_jpeg_mcus(
      column: UInt32(clamping: area.x), row: UInt32(clamping: area.y), columns: UInt32(clamping: area.width),
      rows: UInt32(clamping: area.height))
  }
}

/// The bytes of a scan and its cancellation, for C.
private final class ScanInput {
  let bytes: EncodedBytes
  let cancellation: DecodeCancellation

  init(_ bytes: EncodedBytes, _ cancellation: DecodeCancellation) {
    self.bytes = bytes
    self.cancellation = cancellation
  }

  func withContext<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    withExtendedLifetime(self) { body(Unmanaged.passUnretained(self).toOpaque()) }
  }

  private static func input(_ context: UnsafeMutableRawPointer?) -> ScanInput? {
    context.map { Unmanaged<ScanInput>.fromOpaque($0).takeUnretainedValue() }
  }

  static let read: vitrine_jpeg_read = { context, offset, target, count in
    guard let input = input(context), let target, let offset = Int(exactly: offset) else { return 0 }
    return input.bytes.read(at: offset, into: UnsafeMutableRawBufferPointer(start: target, count: count))
  }

  static let isCancelled: @convention(c) (UnsafeMutableRawPointer?) -> Bool = { context in
    input(context)?.cancellation.isCancelled ?? true
  }
}
