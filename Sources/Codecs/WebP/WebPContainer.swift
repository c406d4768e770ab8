import CCodecs
import VitrineGraphics
import VitrineLoading

/// The container of a WebP file (RFC 9649): finds the still image or the first frame with libwebp's demuxer.
final class WebPContainer {
  private let demuxer: OpaquePointer
  private var iterator = WebPIterator()

  /// Reads the chunks of a complete file; throws for truncated files. `bytes` must outlive the container.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImageError) {
    try Self.checkChunks(bytes)
    var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
    guard
      let demuxer = WebPDemux(&data)
        ?? (WebPChunks.hasAllBytes(bytes) ? Self.demuxer(ofFirstFrame: bytes) : nil)
    else {
      throw .decoding(.webp, message: "incomplete or damaged chunks")
    }
    self.demuxer = demuxer
    guard WebPDemuxGetFrame(demuxer, 1, &iterator) != 0, iterator.fragment.bytes != nil else {
      throw .decoding(.webp, message: "no frame")
    }
  }

  /// Returns a demuxer of the file up to the end of the first frame of an animation, for a file with damage in a later
  /// frame; `nil` if the damage comes before.
  private static func demuxer(ofFirstFrame bytes: UnsafeBufferPointer<UInt8>) -> OpaquePointer? {
    guard let frame = WebPChunks(bytes).first(where: { $0.kind == .frame }), frame.isComplete else {
      return nil
    }
    var data = WebPData(bytes: bytes.baseAddress, size: frame.range.upperBound)
    var state = WEBP_DEMUX_PARSING_HEADER
    return WebPDemuxPartial(&data, &state)
  }

  /// Reads the chunks of a file that is still arriving; `nil` until its frame begins. `bytes` must outlive the
  /// container.
  init?(beginningOf bytes: UnsafeBufferPointer<UInt8>) throws(ImageError) {
    try Self.checkChunks(bytes)
    var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
    var state = WEBP_DEMUX_PARSING_HEADER
    guard
      let demuxer = WebPDemuxPartial(&data, &state)
        ?? (state == WEBP_DEMUX_PARSE_ERROR ? Self.demuxer(ofFirstFrame: bytes) : nil)
    else {
      guard state != WEBP_DEMUX_PARSE_ERROR else { throw .decoding(.webp, message: "damaged chunks") }
      return nil
    }
    self.demuxer = demuxer
    guard WebPDemuxGetFrame(demuxer, 1, &iterator) != 0, iterator.fragment.bytes != nil else { return nil }
  }

  deinit {
    WebPDemuxReleaseIterator(&iterator)
    WebPDemuxDelete(demuxer)
  }

  /// The maximum number of chunks. libwebp's demuxer keeps up to 128 bytes for each chunk and frame, while a chunk can
  /// be as small as eight bytes.
  private static let largestChunkCount = 1 << 14

  static func demuxerBytes(of bytes: UnsafeBufferPointer<UInt8>) -> Int { chunkCount(bytes) * 128 }

  /// Throws `.decoding` if the file has more chunks than any real image or animation.
  private static func checkChunks(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImageError) {
    guard chunkCount(bytes) <= largestChunkCount else {
      throw .decoding(.webp, message: "more chunks than an image has")
    }
  }

  /// Returns the number of chunks in `bytes`. Counting stops just above the limit.
  private static func chunkCount(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    WebPChunks(bytes).prefix(largestChunkCount + 1).reduce(0) { count, _ in count + 1 }
  }

  /// True if the header announces an animation.
  var isAnimated: Bool { WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS) & ANIMATION_FLAG.rawValue != 0 }
  /// The number of times that an animation is played; 0 for ever.
  var loopCount: Int { Int(WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT)) }

  /// The size of the canvas, on which frames are placed.
  var canvas: PixelSize {
    PixelSize(
      width: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH)),
      height: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT)))
  }

  /// The position of the frame on the canvas.
  var frameOrigin: (x: Int, y: Int) { (Int(iterator.x_offset), Int(iterator.y_offset)) }
  var frameSize: PixelSize { PixelSize(width: Int(iterator.width), height: Int(iterator.height)) }
  /// The compressed frame.
  var frameData: WebPData { iterator.fragment }

  /// True if the orientation is known: the EXIF chunk, which usually follows the pixels, has arrived, or there is none.
  var knowsOrientation: Bool {
    let flags = WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS)
    guard flags & EXIF_FLAG.rawValue != 0 else { return true }
    return chunk("EXIF") { _ in true } != nil
  }

  /// The orientation in the EXIF chunk; `.up` if there is none.
  var orientation: Orientation { exif.flatMap { Orientation(exif: $0) } ?? .up }
  /// The title and the time in the EXIF chunk.
  var metadata: ImageMetadata? { exif.flatMap { ImageMetadata(exif: $0) } }

  /// The beginning of the EXIF chunk.
  private var exif: ArraySlice<UInt8>? {
    let byteLimit = 64 << 10
    return chunk("EXIF") { Array($0.prefix(byteLimit))[...] }
  }

  /// The color profile in the ICCP chunk; `nil` if there is none, or it is too large.
  var profile: ICCProfile? {
    chunk("ICCP") { $0.count <= ICCProfile.largest ? ICCProfile(Array($0)) : nil }
  }

  /// The size in bytes of the color profile that is used; 0 if there is none.
  var profileBytes: Int { chunk("ICCP") { $0.count <= ICCProfile.largest ? $0.count : 0 } ?? 0 }

  private func chunk<Result>(_ name: String, _ read: (UnsafeBufferPointer<UInt8>) -> Result?) -> Result? {
    var chunk = WebPChunkIterator()
    guard WebPDemuxGetChunk(demuxer, name, 1, &chunk) != 0 else { return nil }
    defer { WebPDemuxReleaseChunkIterator(&chunk) }
    return read(UnsafeBufferPointer(start: chunk.chunk.bytes, count: chunk.chunk.size))
  }
}
