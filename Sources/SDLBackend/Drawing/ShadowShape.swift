import Glibc

/// The shadow of a rounded rectangle, blurred once as a mask. Between the corners the shadow does not change along the
/// edges, so stretching one column and one row of the mask fits any larger rectangle. Rectangles that are too small for
/// stretching have masks of their own.
struct ShadowShape: Hashable {
  /// The standard deviation of the blur, in sixteenths of a pixel.
  private let deviation: Int
  private static let unitsPerPixel = 16
  /// The maximum standard deviation in pixels. Larger values are clamped.
  static let largestDeviation = 100.0
  /// The maximum corner radius in pixels. Larger corners, half a screen in size, get the shadow of this radius.
  private static let largestRadius = 1024

  private let radius: Int
  /// The width in pixels of the rectangle that is blurred.
  private let width: Int
  private let height: Int
  /// The distance in pixels by which the mask extends beyond the rectangle's edges. Farther out, the coverage is less
  /// than half a level.
  let reach: Int

  /// - Parameters:
  ///   - rect: The rectangle that casts the shadow, in pixels.
  ///   - deviation: The standard deviation of the blur in pixels, 0 or more.
  ///   - radius: The corner radius in pixels.
  init(of rect: PixelRect, deviation: Double, radius: Int) {
    let deviation = min(Self.largestDeviation, max(0, deviation))
    self.deviation = Int((deviation * Double(Self.unitsPerPixel)).rounded())
    self.radius = min(radius, Self.largestRadius)
    reach = Int((deviation * 3).rounded(.up))
    let largest = 2 * (self.radius + reach) + 1
    width = min(rect.width, largest)
    height = min(rect.height, largest)
  }

  /// True if the blur is so small that the shadow is drawn as a filled rectangle.
  var isSharp: Bool { deviation < Self.unitsPerPixel / 4 }

  /// Returns the spans of the mask's columns in the shadow of a rectangle.
  func columns(of rect: PixelRect) -> [MaskSpan] {
    MaskSpan.spans(of: width + 2 * reach, from: rect.left - reach, to: rect.right + reach)
  }

  /// Returns the spans of the mask's rows in the shadow of a rectangle.
  func rows(of rect: PixelRect) -> [MaskSpan] {
    MaskSpan.spans(of: height + 2 * reach, from: rect.top - reach, to: rect.bottom + reach)
  }

  /// Returns the blurred rectangle. The blur of a row is the difference of two integrals of the Gaussian. Each row is
  /// then weighted with its fraction in the rows around it, which is such a difference too. Only one quarter is
  /// computed; the others are mirrored.
  func blurred() -> CoverageMask {
    let deviation = Double(deviation) / Double(Self.unitsPerPixel)
    let gaussian = GaussianIntegral(deviation: deviation)
    let (columnCount, rowCount) = (width + 2 * reach, height + 2 * reach)
    let (columns, rows) = ((columnCount + 1) / 2, (rowCount + 1) / 2)
    let bands = bands(deviation: deviation).map { band in
      let line = (0..<columns).map { column in
        let x = Double(column - reach) + 0.5
        return gaussian.integral(from: x + band.inset - Double(width), to: x - band.inset)
      }
      return (top: band.top, bottom: band.bottom, isMirrored: band.isMirrored, line: line)
    }
    var coverage = [UInt8](repeating: 0, count: columnCount * rowCount)
    var line = [Float](repeating: 0, count: columns)
    for row in 0..<rows {
      for column in 0..<columns { line[column] = 0 }
      let y = Double(row - reach) + 0.5
      for band in bands {
        var weight = gaussian.integral(from: y - band.bottom, to: y - band.top)
        if band.isMirrored {
          weight += gaussian.integral(
            from: y + band.top - Double(height), to: y + band.bottom - Double(height))
        }
        guard weight > 1e-4 else { continue }
        for column in 0..<columns { line[column] += band.line[column] * weight }
      }
      for column in 0..<columns {
        let value = UInt8((min(1, max(0, line[column])) * 255).rounded())
        for y in [row, rowCount - 1 - row] {
          coverage[y * columnCount + column] = value
          coverage[(y + 1) * columnCount - 1 - column] = value
        }
      }
    }
    return CoverageMask(width: columnCount, height: rowCount, coverage: coverage)
  }

  /// Returns horizontal bands of the rectangle with constant width, and their inset from the left and right sides: one
  /// band between the corners, and thin bands across the upper corners, which are mirrored to the lower corners.
  private func bands(deviation: Double) -> [(top: Double, bottom: Double, inset: Double, isMirrored: Bool)] {
    let radius = Double(radius)
    // With a wide blur or a long arc, thinner bands make no visible difference.
    let step = max(radius > 128 ? 1 : 0.25, deviation / 8)
    /// Returns the area of a half disc's slice from the center up to a height.
    func area(_ height: Double) -> Double {
      (height * (radius * radius - height * height).squareRoot() + radius * radius * asin(height / radius))
        / 2
    }
    let corner = stride(from: 0, to: radius, by: step).map { top in
      let bottom = min(top + step, radius)
      // The average half width of the disc within the band.
      let halfWidth = (area(radius - top) - area(radius - bottom)) / (bottom - top)
      return (top: top, bottom: bottom, inset: radius - halfWidth, isMirrored: true)
    }
    return corner + [(top: radius, bottom: Double(height) - radius, inset: 0, isMirrored: false)]
  }
}

/// The integral of a Gaussian, in a table of sixteenths of a pixel.
private struct GaussianIntegral {
  private static let stepsPerPixel = 16.0
  private let table: [Float]
  private let middle: Int

  init(deviation: Double) {
    // Beyond five standard deviations the integral is 0 or 1.
    let middle = Int((deviation * 5 * Self.stepsPerPixel).rounded(.up))
    table = (-middle...middle).map {
      Float(0.5 * (1 + erf(Double($0) / Self.stepsPerPixel / (deviation * 2.0.squareRoot()))))
    }
    self.middle = middle
  }

  func integral(from start: Double, to end: Double) -> Float { integral(to: end) - integral(to: start) }

  private func integral(to position: Double) -> Float {
    let step = Int((position * Self.stepsPerPixel).rounded())
    return table[min(2 * middle, max(0, middle + step))]
  }
}
