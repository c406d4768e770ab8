import VitrineGraphics

/// The moving pictures of the demo's screen "Animations", computed for each frame.
enum DemoAnimations: String, CaseIterable {
  case orbits, waves, rings, pendulum, lissajous, rain

  static let (width, height, frameCount, duration) = (160, 120, 24, 0.06)

  /// The name of the file in the folder of assets. Each format has two pictures.
  var file: String {
    switch self {
    case .orbits, .pendulum: rawValue + ".gif"
    case .waves, .lissajous: rawValue + ".png"
    case .rings, .rain: rawValue + ".webp"
    }
  }

  var format: ImageFormat { file.hasSuffix("gif") ? .gif : file.hasSuffix("png") ? .png : .webp }

  var frames: [Image.Frame] {
    (0..<Self.frameCount).map { number in
      let time = Double(number) / Double(Self.frameCount)
      let bitmap = Bitmap(width: Self.width, height: Self.height, format: .bgra, isOpaque: true) {
        bytes, rowBytes in
        for y in 0..<Self.height {
          for x in 0..<Self.width {
            let color = color(
              x: (Double(x) - Double(Self.width) / 2) / 60, y: (Double(y) - Double(Self.height) / 2) / 60,
              time: time)
            let offset = y * rowBytes + x * 4
            bytes[offset] = color.blue
            bytes[offset + 1] = color.green
            bytes[offset + 2] = color.red
            bytes[offset + 3] = 255
          }
        }
      }
      return Image.Frame(bitmap: bitmap, duration: Self.duration)
    }
  }

  /// Returns the color of a point. The middle is (0, 0), and the upper edge is at -1. `time` is 0…1 within a loop.
  private func color(x: Double, y: Double, time: Double) -> Color {
    let turn = time * 2 * .pi
    switch self {
    case .orbits:
      var light = Self.disc(x, y, 0, 0, 0.3)
      for planet in 1...3 {
        let angle = turn * Double(4 - planet) + Double(planet)
        let radius = 0.25 + 0.25 * Double(planet)
        light += Self.disc(
          x, y, radius * cosine(angle), 0.6 * radius * sine(angle), 0.05 + 0.03 * Double(planet))
      }
      return Self.mix((14, 18, 34), (255, 196, 92), light)
    case .waves:
      let height = 0.15 * sine(4 * x + turn) + 0.1 * sine(7 * x - 2 * turn)
      return Self.mix((22, 120, 160), (8, 30, 60), (y - height) * 1.2 + 0.5)
    case .rings:
      let distance = (x * x + y * y).squareRoot()
      return Self.mix((30, 16, 52), (240, 120, 160), 0.5 + 0.5 * sine(14 * distance - 2 * turn))
    case .pendulum:
      let angle = 0.9 * sine(turn)
      let (endX, endY) = (1.2 * sine(angle), -0.9 + 1.5 * cosine(angle))
      let along = min(
        1, max(0, (x * endX + (y + 0.9) * (endY + 0.9)) / (endX * endX + (endY + 0.9) * (endY + 0.9))))
      let rod = Self.disc(x, y, along * endX, -0.9 + along * (endY + 0.9), 0.02)
      return Self.mix((238, 232, 220), (190, 60, 40), rod + Self.disc(x, y, endX, endY, 0.16))
    case .lissajous:
      var light = 0.0
      for point in 0..<24 {
        let angle = turn + Double(point) * 0.09
        light += Self.disc(x, y, 1.1 * sine(3 * angle), 0.8 * sine(2 * angle), 0.05) * Double(24 - point) / 24
      }
      return Self.mix((12, 26, 24), (120, 255, 190), light)
    case .rain:
      var light = 0.0
      for drop in 0..<5 {
        let age = (time * 2 + Double(drop) * 0.37).truncatingRemainder(dividingBy: 1)
        let (centerX, centerY) = (1.1 * sine(Double(drop) * 2.4), 0.8 * cosine(Double(drop) * 1.7))
        let distance = ((x - centerX) * (x - centerX) + (y - centerY) * (y - centerY)).squareRoot()
        light += max(0, 1 - abs(distance - age * 0.8) * 16) * (1 - age)
      }
      return Self.mix((16, 34, 58), (200, 226, 255), light)
    }
  }

  /// Returns 1 inside of a disc and 0 outside, with a smooth edge.
  private static func disc(_ x: Double, _ y: Double, _ centerX: Double, _ centerY: Double, _ radius: Double)
    -> Double
  {
    let distance = ((x - centerX) * (x - centerX) + (y - centerY) * (y - centerY)).squareRoot()
    return min(1, max(0, (radius - distance) * 40 + 0.5))
  }

  private static func mix(
    _ dark: (Double, Double, Double), _ light: (Double, Double, Double), _ fraction: Double
  ) -> Color {
    let part = min(1, max(0, fraction))
    func channel(_ a: Double, _ b: Double) -> UInt8 { UInt8((a + (b - a) * part).rounded()) }
    return Color(
      red: channel(dark.0, light.0), green: channel(dark.1, light.1), blue: channel(dark.2, light.2))
  }

  private func sine(_ angle: Double) -> Double { Double.sine(angle) }
  private func cosine(_ angle: Double) -> Double { Double.sine(angle + .pi / 2) }
}

extension Double {
  /// Returns the sine by its series, equal on each machine, so that the recorded files are too.
  fileprivate static func sine(_ angle: Double) -> Double {
    var x = angle.remainder(dividingBy: 2 * .pi)
    if x > .pi / 2 { x = .pi - x }
    if x < -.pi / 2 { x = -.pi - x }
    let square = x * x
    return x
      * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))))
  }
}
