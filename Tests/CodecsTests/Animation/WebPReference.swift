import CCodecs
import VitrineGraphics

/// The frames of an animated WebP as libwebp's own animation decoder composes them.
struct WebPReference {
  /// The pixels of each frame (red, green, blue, alpha), without gaps.
  private(set) var frames: [[UInt8]] = []
  private(set) var milliseconds: [Int] = []
  private(set) var loopCount = 0

  /// Decodes up to the first damaged frame; `nil` if libwebp refuses the whole file.
  init?(_ bytes: [UInt8]) {
    let decoded = bytes.withUnsafeBufferPointer { bytes -> WebPReference? in
      var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
      var options = WebPAnimDecoderOptions()
      guard WebPAnimDecoderOptionsInit(&options) != 0 else { return nil }
      options.color_mode = MODE_RGBA
      guard let decoder = WebPAnimDecoderNew(&data, &options) else { return nil }
      defer { WebPAnimDecoderDelete(decoder) }
      return WebPReference(decoder)
    }
    guard let decoded else { return nil }
    self = decoded
  }

  private init(_ decoder: OpaquePointer) {
    var info = WebPAnimInfo()
    WebPAnimDecoderGetInfo(decoder, &info)
    loopCount = Int(info.loop_count)
    var end = 0
    while WebPAnimDecoderHasMoreFrames(decoder) != 0 {
      var pixels: UnsafeMutablePointer<UInt8>?
      var timestamp: Int32 = 0
      guard WebPAnimDecoderGetNext(decoder, &pixels, &timestamp) != 0, let pixels else { return }
      let count = Int(info.canvas_width) * Int(info.canvas_height) * 4
      frames.append(Array(UnsafeBufferPointer(start: pixels, count: count)))
      milliseconds.append(Int(timestamp) - end)
      end = Int(timestamp)
    }
  }
}

extension Bitmap {
  /// The bytes of all pixels in the order red, green, blue, alpha.
  var redGreenBlueAlpha: [UInt8] {
    withUnsafeBytes { pixels in
      guard format == .bgra else { return Array(pixels) }
      var samples = Array(pixels)
      for start in stride(from: 0, to: samples.count, by: 4) { samples.swapAt(start, start + 2) }
      return samples
    }
  }
}
