import CCodecs
import VitrineGraphics
import VitrineLoading

/// Writes animated WebP (RFC 9649) with one frame of the file for each frame of the image.
///
/// A frame has only the rectangle that differs from the previous frame, and replaces the pixels of that rectangle. A
/// frame without a difference is one transparent pixel. libwebp's own animation encoder is not used, because it joins
/// frames that look alike, so that the number of frames and their durations change.
enum WebPAnimationEncoder {
  /// The maximum duration in seconds. The file has 24 bits for milliseconds.
  private static let longestDuration = 16_777.0
  /// The maximum number of plays. The file has 16 bits for it.
  private static let highestLoopCount = 0xFFFF

  static func encode(_ image: Image) throws(ImageError) -> [UInt8] {
    guard let mux = WebPMuxNew() else { throw .encoding(.webp, message: "out of memory") }
    defer { WebPMuxDelete(mux) }
    var previous: Bitmap?
    try image.forEachFrame(encodedAs: .webp) { (frame) throws(ImageError) in
      let part = changes(in: frame.bitmap, since: previous)
      previous = frame.bitmap
      var info = WebPMuxFrameInfo()
      info.id = WEBP_CHUNK_ANMF
      info.x_offset = Int32(part?.x ?? 0)
      info.y_offset = Int32(part?.y ?? 0)
      let milliseconds = (min(max(0, frame.duration), longestDuration) * 1000).rounded()
      info.duration = Int32(milliseconds)
      info.dispose_method = WEBP_MUX_DISPOSE_NONE
      info.blend_method = part == nil ? WEBP_MUX_BLEND : WEBP_MUX_NO_BLEND
      let encoded = if let part { try WebPEncoder.encode(frame.bitmap, part: part) } else { try noChange() }
      try push(encoded, info, to: mux)
    }
    var parameters = WebPMuxAnimParams(
      bgcolor: 0, loop_count: Int32(min(image.loopCount, highestLoopCount)))
    try check(WebPMuxSetAnimationParams(mux, &parameters))
    try check(WebPMuxSetCanvasSize(mux, Int32(image.pixelWidth), Int32(image.pixelHeight)))
    var file = WebPData()
    try check(WebPMuxAssemble(mux, &file))
    defer { WebPDataClear(&file) }
    return Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
  }

  /// Appends a frame. `encoded` is a still image.
  private static func push(
    _ encoded: [UInt8], _ info: WebPMuxFrameInfo, to mux: OpaquePointer
  ) throws(ImageError) {
    var info = info
    let result = encoded.withUnsafeBufferPointer { bytes in
      info.bitstream = WebPData(bytes: bytes.baseAddress, size: bytes.count)
      let copiesBytes: Int32 = 1
      return WebPMuxPushFrame(mux, &info, copiesBytes)
    }
    try check(result)
  }

  /// Returns an image of one transparent pixel.
  private static func noChange() throws(ImageError) -> [UInt8] {
    try WebPEncoder.encode(Bitmap(width: 1, height: 1, format: .bgra, isOpaque: false) { _, _ in })
  }

  private static func check(_ result: WebPMuxError) throws(ImageError) {
    guard result != WEBP_MUX_OK else { return }
    throw .encoding(.webp, message: "libwebpmux error \(result.rawValue)")
  }

  /// Returns the smallest rectangle with even `x` and `y` that holds all pixels that differ from `previous`; `nil` if
  /// none differs, and the whole bitmap if there is no previous bitmap.
  static func changes(in bitmap: Bitmap, since previous: Bitmap?) -> PixelArea? {
    let (width, height) = (bitmap.width, bitmap.height)
    guard let previous, previous.format == bitmap.format, previous.width == width, previous.height == height
    else {
      return PixelArea(x: 0, y: 0, width: width, height: height)
    }
    var (left, right) = (width, 0)
    var rows = 0..<0
    bitmap.withUnsafeBytes { new in
      previous.withUnsafeBytes { old in
        let new = new.assumingMemoryBound(to: UInt32.self)
        let old = old.assumingMemoryBound(to: UInt32.self)
        for y in 0..<height {
          let row = y * width..<(y + 1) * width
          guard let first = row.first(where: { new[$0] != old[$0] }),
            let last = row.last(where: { new[$0] != old[$0] })
          else { continue }
          left = min(left, first - row.lowerBound)
          right = max(right, last - row.lowerBound + 1)
          rows = (rows.isEmpty ? y : rows.lowerBound)..<(y + 1)
        }
      }
    }
    guard !rows.isEmpty else { return nil }
    // The file stores half of each coordinate.
    let (x, y) = (left & ~1, rows.lowerBound & ~1)
    return PixelArea(x: x, y: y, width: right - x, height: rows.upperBound - y)
  }
}
