import VitrineGraphics
import VitrineTesting

/// Composes animations in the simplest way: whole canvases of colors, copied for each frame.
struct ReferenceAnimation {
  enum Disposal { case keep, background, previous }

  struct Frame {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
    var isBlended: Bool
    var disposal: Disposal
    /// The pixels, row by row.
    var pixels: [Color]
  }

  var width: Int
  var height: Int
  var frames: [Frame]

  /// The pixels of each frame as shown.
  var composed: [[[Color]]] {
    var canvas = [[Color]](repeating: [Color](repeating: .clear, count: width), count: height)
    return frames.map { frame in
      let before = canvas
      paint(frame, on: &canvas) { x, y, below in
        let pixel = frame.pixels[y * frame.width + x]
        return frame.isBlended ? pixel.drawn(over: below) : pixel
      }
      let shown = canvas
      switch frame.disposal {
      case .keep: break
      case .background: paint(frame, on: &canvas) { _, _, _ in .clear }
      case .previous: canvas = before
      }
      return shown
    }
  }

  private func paint(
    _ frame: Frame, on canvas: inout [[Color]], _ color: (_ x: Int, _ y: Int, _ below: Color) -> Color
  ) {
    for y in 0..<frame.height where frame.y + y < height {
      for x in 0..<frame.width where frame.x + x < width {
        canvas[frame.y + y][frame.x + x] = color(x, y, canvas[frame.y + y][frame.x + x])
      }
    }
  }
}

extension Color {
  /// The color blended over another, with fractions of integers rounded half up.
  func drawn(over below: Color) -> Color {
    let part = Int(alpha) * 255
    let partBelow = Int(below.alpha) * (255 - Int(alpha))
    let sum = part + partBelow
    guard alpha > 0 else { return below }
    func channel(_ above: UInt8, _ below: UInt8) -> UInt8 {
      UInt8((2 * (Int(above) * part + Int(below) * partBelow) + sum) / (2 * sum))
    }
    return Color(
      red: channel(red, below.red), green: channel(green, below.green), blue: channel(blue, below.blue),
      alpha: UInt8((2 * sum + 255) / (2 * 255)))
  }

  static func random(alpha: UInt8, using generator: inout SplitMix) -> Color {
    Color(
      red: .random(in: 0...255, using: &generator), green: .random(in: 0...255, using: &generator),
      blue: .random(in: 0...255, using: &generator), alpha: alpha)
  }
}

extension Image {
  /// All frames, composed in order by a new decoder; the bitmap of a still image.
  var composedFrames: [Bitmap] {
    get throws {
      guard let animation else { return [bitmap] }
      let decoder = try animation.makeDecoder()
      return try (0..<animation.frameCount).map { try decoder.frame($0) { false } }
    }
  }
}
