import Glibc

/// The shadow of a rounded rectangle as a mask, blurred once: what lies between its corners is the same all along, so
/// that one column and one row of it stretch to any size. Those that are too small for that have a mask of their own.
nonisolated struct ShadowShape: Hashable {
  /// Standard deviation of the blur, in parts of a pixel.
  private let deviation: Int
  private static let partsOfPixel = 16
  /// More than this is blurred no further.
  static let largestDeviation = 100.0
  /// A rounder corner, which has half a screen to itself, throws the shadow of one that is as round as this.
  private static let largestRadius = 1024

  private let radius: Int
  /// Of the rectangle that is blurred, in pixels.
  private let width: Int
  private let height: Int
  /// How far beyond the rectangle's edges the mask reaches: what lies farther out is less than half a level.
  let reach: Int

  /// - Parameters:
  ///   - deviation: in pixels, 0 or more.
  ///   - radius: of the corners, in pixels.
  init(of rect: PixelRect, deviation: Double, radius: Int) {
    let deviation = min(Self.largestDeviation, max(0, deviation))
    self.deviation = Int((deviation * Double(Self.partsOfPixel)).rounded())
    self.radius = min(radius, Self.largestRadius)
    reach = Int((deviation * 3).rounded(.up))
    let largest = 2 * (self.radius + reach) + 1
    width = min(rect.width, largest)
    height = min(rect.height, largest)
  }

  /// Whether it is so little blurred that it is a filled rectangle.
  var isSharp: Bool { deviation < Self.partsOfPixel / 4 }

  /// Where its columns go in the shadow of a rectangle.
  func columns(of rect: PixelRect) -> [MaskSpan] {
    MaskSpan.spans(of: width + 2 * reach, from: rect.left - reach, to: rect.right + reach)
  }

  /// Where its rows go.
  func rows(of rect: PixelRect) -> [MaskSpan] {
    MaskSpan.spans(of: height + 2 * reach, from: rect.top - reach, to: rect.bottom + reach)
  }

  /// The blurred rectangle: blurred rows, whose blur is the difference of two known integrals of the Gaussian, each
  /// with its share in the rows around it, which is one too. One quarter is computed, and mirrored.
  func blurred() -> CoverageMask {
    let deviation = Double(deviation) / Double(Self.partsOfPixel)
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
        var share = gaussian.integral(from: y - band.bottom, to: y - band.top)
        if band.isMirrored {
          share += gaussian.integral(
            from: y + band.top - Double(height), to: y + band.bottom - Double(height))
        }
        guard share > 1e-4 else { continue }
        for column in 0..<columns { line[column] += band.line[column] * share }
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

  /// Stripes of the rectangle that are alike, and how far from its sides they begin: the one between the corners, and
  /// thin ones of the upper corners, which are there below too.
  private func bands(deviation: Double) -> [(top: Double, bottom: Double, inset: Double, isMirrored: Bool)] {
    let radius = Double(radius)
    // Where the blur is wide, or the arc is long, thin ones make no difference.
    let step = max(radius > 128 ? 1 : 0.25, deviation / 8)
    /// The area of half a disc's slice, from its middle up to a height.
    func area(_ height: Double) -> Double {
      (height * (radius * radius - height * height).squareRoot() + radius * radius * asin(height / radius))
        / 2
    }
    let corner = stride(from: 0, to: radius, by: step).map { top in
      let bottom = min(top + step, radius)
      // As wide as the disc is there on the average.
      let along = (area(radius - top) - area(radius - bottom)) / (bottom - top)
      return (top: top, bottom: bottom, inset: radius - along, isMirrored: true)
    }
    return corner + [(top: radius, bottom: Double(height) - radius, inset: 0, isMirrored: false)]
  }
}

/// The integral of a Gaussian up to a place, from a table.
private nonisolated struct GaussianIntegral {
  private static let stepsPerPixel = 16.0
  private let table: [Float]
  private let middle: Int

  init(deviation: Double) {
    // Beyond that it is all or nothing.
    let middle = Int((deviation * 5 * Self.stepsPerPixel).rounded(.up))
    table = (-middle...middle).map {
      Float(0.5 * (1 + erf(Double($0) / Self.stepsPerPixel / (deviation * 2.0.squareRoot()))))
    }
    self.middle = middle
  }

  func integral(from start: Double, to end: Double) -> Float { integral(to: end) - integral(to: start) }

  private func integral(to place: Double) -> Float {
    let step = Int((place * Self.stepsPerPixel).rounded())
    return table[min(2 * middle, max(0, middle + step))]
  }
}
