import CCodecs
import VitrineGraphics
import VitrineLoading

/// The still picture, or the first frame, of a WebP file (RFC 9649), as libwebp's demuxer finds it.
final class WebPContainer {
  private let demuxer: OpaquePointer
  private var iterator = WebPIterator()

  /// Reads the chunks of a whole file; truncated ones are refused. `bytes` must outlive it.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImageError) {
    var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
    guard let demuxer = WebPDemux(&data) else {
      throw .decoding(.webp, message: "incomplete or damaged chunks")
    }
    self.demuxer = demuxer
    guard WebPDemuxGetFrame(demuxer, 1, &iterator) != 0, iterator.fragment.bytes != nil else {
      throw .decoding(.webp, message: "no frame")
    }
  }

  /// Reads the chunks of a file that is still coming; nil until its frame begins. `bytes` must outlive it.
  init?(beginningOf bytes: UnsafeBufferPointer<UInt8>) throws(ImageError) {
    var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
    var state = WEBP_DEMUX_PARSING_HEADER
    guard let demuxer = WebPDemuxPartial(&data, &state) else {
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

  /// Of the whole picture, on which frames lie.
  var canvas: PixelSize {
    PixelSize(
      width: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH)),
      height: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT)))
  }

  /// Where on the canvas the frame lies.
  var frameOrigin: (x: Int, y: Int) { (Int(iterator.x_offset), Int(iterator.y_offset)) }
  var frameSize: PixelSize { PixelSize(width: Int(iterator.width), height: Int(iterator.height)) }
  /// The packed frame.
  var frameData: WebPData { iterator.fragment }

  /// Whether the EXIF chunk is there, or none will come: it usually stands behind the pixels.
  var knowsOrientation: Bool {
    let flags = WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS)
    guard flags & EXIF_FLAG.rawValue != 0 else { return true }
    return chunk("EXIF") != nil
  }

  /// What the EXIF chunk says.
  var orientation: Orientation {
    chunk("EXIF").flatMap { Orientation(exif: $0[...]) } ?? .up
  }

  /// What the ICCP chunk holds.
  var profile: ICCProfile? { chunk("ICCP").flatMap { ICCProfile($0) } }

  private func chunk(_ name: String) -> [UInt8]? {
    var chunk = WebPChunkIterator()
    guard WebPDemuxGetChunk(demuxer, name, 1, &chunk) != 0 else { return nil }
    defer { WebPDemuxReleaseChunkIterator(&chunk) }
    return Array(UnsafeBufferPointer(start: chunk.chunk.bytes, count: chunk.chunk.size))
  }
}
