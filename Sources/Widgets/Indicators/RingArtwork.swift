import Glibc
import VitrineGraphics

/// The cached images of progress rings. Renderers cannot draw curves, and rotating an image costs more than copying
/// one.
enum RingArtwork {
  private struct Key: Hashable {
    let start: Int
    let length: Int
    let diameter: Int
    let color, track: Color
  }
  private static var cache: [Key: Image] = [:]
  private static var cachedBytes = 0
  /// The maximum size of the cache in bytes: about 190 images of 74x74 pixels (37 points at a scale of 2). A full cache
  /// is emptied.
  private static let byteLimit = 4 << 20
  /// The thickness of the ring as a fraction of the diameter.
  private static let thickness = 0.11

  /// Returns a ring filled clockwise from the top; a fraction of 0 shows the track alone.
  static func ring(filled fraction: Double, diameter: Int, color: Color, track: Color) -> Image {
    ring(from: 0, fraction: fraction, diameter: diameter, color: color, track: track)
  }

  /// Returns a ring with one filled piece.
  ///
  /// - Parameters:
  ///   - start: The start of the piece, in turns clockwise from the top.
  ///   - fraction: The length of the piece in turns, 0…1, rounded to steps of about a pixel.
  ///   - diameter: The diameter in pixels.
  static func ring(from start: Double, fraction: Double, diameter: Int, color: Color, track: Color) -> Image {
    let steps = max(24, min(720, Double(diameter) * .pi))
    func step(_ turns: Double) -> Int { Int((turns * steps).rounded()) }
    // Rounding must not make an incomplete ring complete, or a short piece empty.
    let length = fraction >= 1 ? step(1) : fraction <= 0 ? 0 : min(max(1, step(fraction)), step(1) - 1)
    let key = Key(start: step(start), length: length, diameter: diameter, color: color, track: track)
    if let image = cache[key] { return image }
    let bytes = diameter * diameter * PixelFormat.bytesPerPixel
    if cachedBytes + bytes > byteLimit {
      cache.removeAll()
      cachedBytes = 0
    }
    let image = Image(
      bitmap(from: start, fraction: Double(length) / steps, isComplete: fraction >= 1, key: key))
    cache[key] = image
    cachedBytes += bytes
    return image
  }

  private static func bitmap(from start: Double, fraction: Double, isComplete: Bool, key: Key) -> Bitmap {
    let middle = Double(key.diameter) / 2
    let half = max(1, Double(key.diameter) * thickness / 2)
    let radius = middle - half - 0.5
    func point(_ turns: Double) -> Point {
      Point(x: middle + sin(turns * 2 * .pi) * radius, y: middle - cos(turns * 2 * .pi) * radius)
    }
    let ends = [point(start), point(start + fraction)]
    /// Returns the opacity at a distance from the center line: 1 inside, falling to 0 over one pixel at the edge.
    func coverage(_ distance: Double) -> Double { min(1, max(0, half - distance + 0.5)) }
    func distance(_ x: Double, _ y: Double, to end: Point) -> Double {
      ((x - end.x) * (x - end.x) + (y - end.y) * (y - end.y)).squareRoot()
    }
    return Bitmap(width: key.diameter, height: key.diameter) { column, row in
      let (x, y) = (Double(column) + 0.5, Double(row) + 0.5)
      let (dx, dy) = (x - middle, y - middle)
      let ring = coverage(abs((dx * dx + dy * dy).squareRoot() - radius))
      guard ring > 0 else { return .clear }
      var piece = 0.0
      if isComplete {
        piece = ring
      } else if fraction > 0 {
        let turns = atan2(dx, -dy) / (2 * .pi) - start
        let isInside = turns - turns.rounded(.down) <= fraction
        piece = isInside ? ring : ends.map { coverage(distance(x, y, to: $0)) }.max() ?? 0
      }
      return key.color.multiplyingAlpha(by: piece).over(key.track.multiplyingAlpha(by: ring))
    }
  }
}

extension Color {
  /// Returns this color composited over another, both with straight alpha.
  fileprivate func over(_ below: Color) -> Color {
    let (a, b) = (Double(alpha) / 255, Double(below.alpha) / 255 * (1 - Double(alpha) / 255))
    guard a + b > 0 else { return .clear }
    func mix(_ top: UInt8, _ bottom: UInt8) -> UInt8 {
      UInt8(((Double(top) * a + Double(bottom) * b) / (a + b)).rounded())
    }
    return Color(
      red: mix(red, below.red), green: mix(green, below.green), blue: mix(blue, below.blue),
      alpha: UInt8(((a + b) * 255).rounded()))
  }
}
