import Glibc

/// Generates images that take a decoder as much work as photographs do.
///
/// Overlapping discs of all sizes, with more small ones than large ones (the "dead leaves" model), have the edges and
/// the spectrum of photographs. Each disc has a color and a texture of several octaves, and the whole image has a
/// grain like that of a sensor.
struct ImageMaker {
  /// The size of an image by default.
  static let width = 1600
  static let height = 1200
  private static let discCount = 420

  private let width, height: Int
  private var random: RandomNumbers
  private var red, green, blue: [Float]
  /// The strength of the texture at each pixel.
  private var roughness: [Float]

  /// Returns red, green and blue of each pixel. The image depends only on the arguments.
  ///
  /// - Parameter grain: The amplitude of the grain, in levels of 256.
  static func pixels(
    _ number: Int, width: Int = width, height: Int = height, grain: Float = 2.4
  ) -> [UInt8] {
    var maker = ImageMaker(number, width, height)
    maker.drawDiscs()
    return maker.textured(grain: grain)
  }

  private init(_ number: Int, _ width: Int, _ height: Int) {
    self.width = width
    self.height = height
    random = RandomNumbers(seed: number &* 7919 &+ 1)
    let count = width * height
    red = Array(repeating: 110, count: count)
    green = Array(repeating: 115, count: count)
    blue = Array(repeating: 120, count: count)
    roughness = Array(repeating: 0.5, count: count)
  }

  private mutating func drawDiscs() {
    let hue = random.unit()
    let largestRadius = 520 * Float(width) / Float(Self.width)
    for index in 0..<Self.discCount {
      // Large discs are drawn first, so that they do not cover small ones.
      let radius = largestRadius / (1 + Float(index) * 0.12) * (0.6 + 0.8 * random.unit())
      let x = random.unit() * Float(width)
      let y = random.unit() * Float(height)
      let light = 30 + 200 * random.unit()
      let warm = (hue - 0.5 + 0.5 * random.signed()) * 60
      draw(
        x, y, radius, color: (light + warm, light + 12 * random.signed(), light - warm),
        rough: random.unit() * random.unit() * 2)
    }
  }

  private mutating func draw(
    _ x: Float, _ y: Float, _ radius: Float, color: (Float, Float, Float), rough: Float
  ) {
    let top = max(0, Int(y - radius - 1))
    let bottom = min(height, Int(y + radius + 2))
    guard top < bottom else { return }
    for row in top..<bottom {
      let dy = Float(row) - y
      let halfWidthSquared = ((radius + 1) * (radius + 1) - dy * dy)
      guard halfWidthSquared > 0 else { continue }
      let halfWidth = halfWidthSquared.squareRoot()
      let left = max(0, Int(x - halfWidth))
      let right = min(width, Int(x + halfWidth) + 1)
      guard left < right else { continue }
      for column in left..<right {
        let dx = Float(column) - x
        let distance = (dx * dx + dy * dy).squareRoot()
        // The edge is as soft as that of a lens, and the light comes from the upper left.
        let cover = min(1, max(0, (radius - distance) * 0.6 + 0.5))
        guard cover > 0 else { continue }
        let shade = 1 - 0.22 * (dx + dy) / radius
        let index = row * width + column
        red[index] += (color.0 * shade - red[index]) * cover
        green[index] += (color.1 * shade - green[index]) * cover
        blue[index] += (color.2 * shade - blue[index]) * cover
        roughness[index] += (rough - roughness[index]) * cover
      }
    }
  }

  private mutating func textured(grain strength: Float) -> [UInt8] {
    let texture = noise(cells: [128, 64, 32, 16, 8, 4, 2], strengths: [18, 14, 11, 8.5, 6.5, 4.5, 2.5])
    let tint = noise(cells: [256, 64, 16], strengths: [10, 5, 2])
    var bytes = [UInt8](repeating: 0, count: red.count * 3)
    for index in red.indices {
      let bits = random.next()
      // The sum of two uniform distributions is close enough to the noise of a sensor.
      let grain = (Float(bits & 0xFFFF) + Float(bits &>> 16 & 0xFFFF)) / 65535 * strength - strength
      let light = texture[index] * roughness[index] + grain
      bytes[index * 3] = Self.byte(red[index] + light + tint[index])
      bytes[index * 3 + 1] = Self.byte(green[index] + light)
      bytes[index * 3 + 2] = Self.byte(blue[index] + light - tint[index])
    }
    return bytes
  }

  /// Returns smooth noise: the sum of several octaves.
  private mutating func noise(cells: [Int], strengths: [Float]) -> [Float] {
    var sum = [Float](repeating: 0, count: width * height)
    for (cell, strength) in zip(cells, strengths) {
      let columns = width / cell + 2
      let rows = height / cell + 2
      let lattice = (0..<columns * rows).map { _ in random.signed() * strength }
      let weights = (0..<cell).map { step -> Float in
        let t = (Float(step) + 0.5) / Float(cell)
        return t * t * (3 - 2 * t)
      }
      var line = [Float](repeating: 0, count: columns)
      for row in 0..<height {
        let above = row / cell * columns
        let weight = weights[row % cell]
        for column in 0..<columns {
          let upper = lattice[above + column]
          line[column] = upper + (lattice[above + columns + column] - upper) * weight
        }
        var index = row * width
        let end = index + width
        var column = 0
        while index < end {
          let from = line[column]
          let rise = line[column + 1] - from
          for step in 0..<min(cell, end - index) { sum[index + step] += from + rise * weights[step] }
          index += cell
          column += 1
        }
      }
    }
    return sum
  }

  private static func byte(_ value: Float) -> UInt8 { UInt8(min(255, max(0, value + 0.5))) }
}
