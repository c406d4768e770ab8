import CCodecs
import VitrineGraphics
import VitrineTesting

/// Writes animated WebP files chunk by chunk, also invalid files.
struct WebPAnimationFixture: Sendable {
  struct Frame: Sendable {
    var x = 0
    var y = 0
    var width: Int
    var height: Int
    var milliseconds = 50
    /// True to draw the frame over the canvas; false to replace the pixels.
    var isBlended = true
    /// True to clear the rectangle of the frame before the next frame.
    var isCleared = false
    var isLossy = false
    /// The color of a pixel of the frame.
    var color: @Sendable (_ x: Int, _ y: Int) -> Color

    /// The chunks of the frame's pixels.
    var pixels: [UInt8] {
      var samples: [UInt8] = []
      for y in 0..<height {
        for x in 0..<width {
          let color = color(x, y)
          samples += [color.red, color.green, color.blue, color.alpha]
        }
      }
      return WebPAnimationFixture.chunks(of: samples, width: width, height: height, isLossy: isLossy)
    }
  }

  var width: Int
  var height: Int
  var loopCount = 0
  /// The background color as blue, green, red and alpha. Decoders ignore it.
  var background: [UInt8] = [0, 0, 0, 0]
  /// True if the header announces transparent pixels.
  var announcesAlpha = true
  /// Chunks between the animation's header and the first frame, and after the last frame.
  var chunksBeforeFrames: [UInt8] = []
  var chunksAfterFrames: [UInt8] = []
  var extraFlags: UInt8 = 0
  var frames: [Frame]

  /// The whole file.
  var bytes: [UInt8] { bytes(replacingPixelsOf: nil, by: []) }

  /// The signature and the chunks before the frames.
  private var head: [UInt8] {
    let flags = 0x02 | (announcesAlpha ? 0x10 : 0) | extraFlags
    return Self.chunk("VP8X", [flags, 0, 0, 0] + Self.triple(width - 1) + Self.triple(height - 1))
      + chunksBeforeFrames + Self.chunk("ANIM", background + loopCount.littleEndianPair)
  }

  /// Returns the file with other pixels for one frame, such as damaged pixels.
  func bytes(replacingPixelsOf number: Int?, by pixels: [UInt8]) -> [UInt8] {
    let chunks = frames.enumerated().flatMap { index, frame in
      Self.chunk("ANMF", Self.header(frame) + (index == number ? pixels : frame.pixels))
    }
    return Self.file(head + chunks + chunksAfterFrames)
  }

  /// Returns a frame's position, size, duration and methods.
  static func header(_ frame: Frame) -> [UInt8] {
    triple(frame.x / 2) + triple(frame.y / 2) + triple(frame.width - 1) + triple(frame.height - 1)
      + triple(frame.milliseconds) + [(frame.isCleared ? 1 : 0) | (frame.isBlended ? 0 : 2)]
  }

  static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
    Array(name.utf8) + quad(payload.count) + payload + (payload.count % 2 == 1 ? [0] : [])
  }

  private static func file(_ chunks: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + quad(chunks.count + 4) + Array("WEBP".utf8) + chunks
  }

  private static func triple(_ number: Int) -> [UInt8] { Array(quad(number).prefix(3)) }

  private static func quad(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Encodes samples (red, green, blue, alpha) and returns the chunks ALPH, VP8 and VP8L.
  private static func chunks(of samples: [UInt8], width: Int, height: Int, isLossy: Bool) -> [UInt8] {
    var encoded: UnsafeMutablePointer<UInt8>?
    let (columns, rows, stride) = (Int32(width), Int32(height), Int32(width * 4))
    let count =
      isLossy
      ? WebPEncodeRGBA(samples, columns, rows, stride, 60, &encoded)
      : WebPEncodeLosslessRGBA(samples, columns, rows, stride, &encoded)
    defer { WebPFree(encoded) }
    guard count > 0, let encoded else { return [] }
    let file = Array(UnsafeBufferPointer(start: encoded, count: count))
    let hasExtendedHeader = Array(file[12..<16]) == Array("VP8X".utf8)
    return Array(file[(hasExtendedHeader ? 30 : 12)...])
  }
}

extension WebPAnimationFixture {
  /// Returns an animation of random rectangles, methods and colors. The colors are opaque, transparent or between.
  static func random(seed: UInt64, frameCount: Int = 8) -> WebPAnimationFixture {
    var numbers = SplitMix(state: seed)
    let (width, height) = (Int.random(in: 1...41, using: &numbers), Int.random(in: 1...33, using: &numbers))
    let frames = (0..<frameCount).map { _ in
      randomFrame(width, height, isLossy: seed % 3 == 2, using: &numbers)
    }
    var fixture = WebPAnimationFixture(width: width, height: height, frames: frames)
    fixture.loopCount = Int.random(in: 0...3, using: &numbers)
    fixture.background = [1, 200, 3, 255]
    return fixture
  }

  private static func randomFrame(
    _ width: Int, _ height: Int, isLossy: Bool, using numbers: inout SplitMix
  ) -> Frame {
    var frame = Frame(width: width, height: height) { _, _ in .clear }
    if Int.random(in: 0..<3, using: &numbers) > 0 {
      frame.x = Int.random(in: 0..<width, using: &numbers) & ~1
      frame.y = Int.random(in: 0..<height, using: &numbers) & ~1
      frame.width = Int.random(in: 1...(width - frame.x), using: &numbers)
      frame.height = Int.random(in: 1...(height - frame.y), using: &numbers)
    }
    frame.isBlended = Bool.random(using: &numbers)
    frame.isCleared = Bool.random(using: &numbers)
    frame.isLossy = isLossy
    frame.milliseconds = Int.random(in: 0...200, using: &numbers)
    let tint = UInt8.random(in: 0...255, using: &numbers)
    let kind = Int.random(in: 0..<4, using: &numbers)
    frame.color = { x, y in
      let alpha: UInt8 =
        switch kind {
        case 0: 255
        case 1: (x / 3 + y / 2) % 2 == 0 ? 255 : 0
        case 2: UInt8(truncatingIfNeeded: x * 37 + y * 91 + Int(tint))
        default: [0, 1, 2, 127, 128, 254, 255][(x + y * 3) % 7]
        }
      let pattern = patternColor(x: x, y: y)
      return Color(red: pattern.red ^ tint, green: pattern.green, blue: pattern.blue &+ tint, alpha: alpha)
    }
    return frame
  }
}

extension WebPAnimationFixture {
  /// Returns an animation of random shapes, written by libwebp's animation encoder, which chooses rectangles, methods,
  /// and lossy or lossless frames.
  static func writtenByEncoder(seed: UInt64) -> [UInt8] {
    var numbers = SplitMix(state: seed)
    let (width, height) = (40, 28)
    var options = WebPAnimEncoderOptions()
    guard WebPAnimEncoderOptionsInit(&options) != 0 else { return [] }
    options.allow_mixed = seed % 2 == 0 ? 1 : 0
    options.minimize_size = seed % 3 == 0 ? 1 : 0
    options.kmin = 2
    options.kmax = 5
    guard let encoder = WebPAnimEncoderNew(Int32(width), Int32(height), &options) else { return [] }
    defer { WebPAnimEncoderDelete(encoder) }
    var config = WebPConfig()
    guard WebPConfigInit(&config) != 0 else { return [] }
    config.lossless = seed % 2 == 0 ? 0 : 1
    var samples = [UInt8](repeating: 0, count: width * height * 4)
    for number in 0..<10 {
      // A rectangle of one color, opaque, translucent or transparent, over the earlier rectangles.
      let left = Int.random(in: 0..<width, using: &numbers), top = Int.random(in: 0..<height, using: &numbers)
      let color = (0..<3).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      let alpha: UInt8 = [0, 90, 255, 255].randomElement(using: &numbers) ?? 255
      for y in top..<min(height, top + 12) {
        for x in left..<min(width, left + 17) {
          samples.replaceSubrange((y * width + x) * 4..<(y * width + x + 1) * 4, with: color + [alpha])
        }
      }
      var picture = WebPPicture()
      guard WebPPictureInit(&picture) != 0 else { return [] }
      picture.use_argb = 1
      picture.width = Int32(width)
      picture.height = Int32(height)
      defer { WebPPictureFree(&picture) }
      guard WebPPictureImportRGBA(&picture, samples, Int32(width * 4)) != 0,
        WebPAnimEncoderAdd(encoder, &picture, Int32(number * 80), &config) != 0
      else { return [] }
    }
    var file = WebPData()
    guard WebPAnimEncoderAdd(encoder, nil, 800, nil) != 0, WebPAnimEncoderAssemble(encoder, &file) != 0 else {
      return []
    }
    defer { WebPDataClear(&file) }
    return Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
  }
}
