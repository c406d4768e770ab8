import FoundationEssentials
import Vitrine

/// The animated files of `animation`.
enum AnimationFiles {
  static let (count, width, height, frameCount, duration) = (20, 320, 240, 25, 0.04)
  /// The files of the scene with a small budget: 64 frames of 128x128, which are 4 MiB when decoded.
  static let (smallCount, smallSide, smallFrameCount) = (40, 128, 64)
  /// The files of the scene with large canvases: 70 frames of 650x650, ten a second, in which an area of 160x120 changes.
  /// The canvases of 40 decoders take 64.5 MiB. The frames of one image are 4.4 MiB at the size of a view, too many to
  /// keep.
  static let (canvasCount, canvasSide, canvasFrameCount, canvasDuration) = (40, 650, 70, 0.1)

  static func name(_ index: Int) -> String { "\(index).webp" }
  static func smallName(_ index: Int) -> String { "small\(index).webp" }
  static func canvasName(_ index: Int) -> String { "canvas\(index).gif" }

  static func write(to folder: String) throws {
    for variant in 0..<4 {
      let large = try encoded(width: width, height: height, count: frameCount, variant)
      for index in stride(from: variant, to: count, by: 4) {
        try Data(large).write(to: URL(filePath: "\(folder)/\(name(index))"))
      }
      let small = try encoded(width: smallSide, height: smallSide, count: smallFrameCount, variant)
      for index in stride(from: variant, to: smallCount, by: 4) {
        try Data(small).write(to: URL(filePath: "\(folder)/\(smallName(index))"))
      }
    }
  }

  /// Writes the files with large canvases, which have equal content.
  static func writeCanvases(to folder: String) throws {
    let side = canvasSide
    let frames = (0..<canvasFrameCount).map { number in
      let bitmap = Bitmap(width: side, height: side, format: .bgra, isOpaque: true) { bytes, rowBytes in
        for y in 0..<side {
          for x in 0..<side {
            let changes = 200..<360 ~= x && 250..<370 ~= y
            let shade = (changes ? x + number * 8 : y) / 8 & 63
            let offset = y * rowBytes + x * 4
            bytes[offset] = UInt8(shade)
            bytes[offset + 1] = UInt8(shade * 2)
            bytes[offset + 2] = UInt8(255 - shade)
            bytes[offset + 3] = 255
          }
        }
      }
      return Image.Frame(bitmap: bitmap, duration: canvasDuration)
    }
    let file = Data(try ImageCodecs().encode(frames: frames, as: .gif))
    for index in 0..<canvasCount { try file.write(to: URL(filePath: "\(folder)/\(canvasName(index))")) }
  }

  /// Returns an animation in which bands of color move over noise, so that each frame differs everywhere.
  private static func encoded(width: Int, height: Int, count: Int, _ variant: Int) throws -> [UInt8] {
    let frames = (0..<count).map { number in
      let bitmap = Bitmap(width: width, height: height, format: .bgra, isOpaque: true) { bytes, rowBytes in
        for y in 0..<height {
          for x in 0..<width {
            let noise = (x &* 73 ^ y &* 151 ^ number &* 31) & 3
            let offset = y * rowBytes + x * 4
            bytes[offset] = UInt8((x + number * 8 + variant * 40) & 127 + noise)
            bytes[offset + 1] = UInt8((y + number * 5) & 127 + noise)
            bytes[offset + 2] = UInt8((x + y + variant * 60) & 127 + noise)
            bytes[offset + 3] = 255
          }
        }
      }
      return Image.Frame(bitmap: bitmap, duration: duration)
    }
    return try ImageCodecs().encode(frames: frames, as: .webp)
  }
}
