/// The radius of a rounded corner, and the part of the corner that a mask covers.
struct CornerShape: Hashable {
  /// The part of a quarter disc that is covered.
  enum Part: Hashable {
    /// The whole quarter disc, antialiased at the edge.
    case all
    /// The pixels that lie completely inside the edge. An opaque border covers the other pixels; if the fill and the
    /// border were both antialiased there, the fill would shine through.
    case inside
    /// A border along the edge with a width in pixels, antialiased at both sides.
    case border(Int)
  }

  /// The radius in pixels; 0 for a square corner.
  let radius: Int
  var part = Part.all
}

/// The coverage of each pixel by a rounded corner, 0 to 255: a quarter of a disc or a ring.
struct CornerMask {
  let shape: CornerShape
  /// The mask of the top left corner: `radius` rows of `radius` pixels.
  private let left: [UInt8]
  /// The mask of the top right corner: `left` mirrored.
  private let right: [UInt8]

  /// The radius in pixels; 0 for a square corner.
  var radius: Int { shape.radius }

  init(radius: Int) { self.init(CornerShape(radius: radius)) }

  init(_ shape: CornerShape) {
    self.shape = shape
    let radius = shape.radius
    var left: [UInt8] = []
    left.reserveCapacity(radius * radius)
    for y in 0..<radius {
      for x in 0..<radius {
        // The distance from the pixel's center to the disc's center. The edge runs through pixels within half a pixel
        // of the radius.
        let dx = Double(radius - x) - 0.5
        let dy = Double(radius - y) - 0.5
        let distance = (dx * dx + dy * dy).squareRoot()
        func coverage(_ radius: Int) -> Double { min(1, max(0, Double(radius) - distance + 0.5)) }
        let value =
          switch shape.part {
          case .all: coverage(radius)
          case .inside: coverage(radius).rounded(.down)
          case .border(let width): coverage(radius) - (width < radius ? coverage(radius - width) : 0)
          }
        left.append(UInt8((value * 255).rounded()))
      }
    }
    self.left = left
    right = (0..<radius).flatMap { row in left[(row * radius)..<((row + 1) * radius)].reversed() }
  }

  /// Returns the row of the mask that applies to row `y` of the screen; `nil` between the top and bottom corners of
  /// `rect`.
  func row(of y: Int, in rect: PixelRect) -> Int? {
    let fromEdge = min(y - rect.top, rect.bottom - 1 - y)
    return fromEdge < radius ? fromEdge : nil
  }

  /// Multiplies the alpha of pixels of row `y` of the screen by the coverage of the corners of `rect`.
  ///
  /// - Parameter column: Returns the position of a pixel of `line`, from the left edge of `rect`.
  @inline(__always)
  func round(
    _ line: UnsafeMutableBufferPointer<UInt32>, at y: Int, in rect: PixelRect, column: (_ index: Int) -> Int
  ) {
    guard let row = row(of: y, in: rect) else { return }
    withRow(row) { left, right in
      for index in line.indices {
        let x = column(index)
        let fromRight = x - (rect.width - radius)
        if x < radius {
          line[index].multiplyAlpha(by: left[x])
        } else if fromRight >= 0 {
          line[index].multiplyAlpha(by: right[fromRight])
        }
      }
    }
  }

  /// Calls `body` with a row's coverage of the left and right corners, each from left to right.
  func withRow(_ row: Int, _ body: (_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>) -> Void) {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return }
        body(leftBase + row * radius, rightBase + row * radius)
      }
    }
  }
}

extension CoverageMask {
  /// Joins the masks of four corners into one mask.
  init(_ corners: CornerMask) {
    let side = 2 * corners.radius
    let coverage = [UInt8](unsafeUninitializedCapacity: side * side) { buffer, count in
      for y in 0..<side {
        corners.withRow(min(y, side - 1 - y)) { left, right in
          for x in 0..<corners.radius {
            buffer[y * side + x] = left[x]
            buffer[y * side + corners.radius + x] = right[x]
          }
        }
      }
      count = side * side
    }
    self.init(width: side, height: side, coverage: coverage)
  }
}

/// A cache of corner masks by shape. Removes all masks when they exceed 1 Mi pixels, so that a view with an animated
/// radius does not accumulate masks.
struct CornerMasks {
  /// The maximum radius in pixels: more than half of any screen's height.
  private static let largestRadius = 2048
  /// The maximum number of pixels in all masks.
  private static let capacity = 1 << 20

  private var masks: [CornerShape: CornerMask] = [:]
  private var pixelCount = 0

  /// Returns a corner radius in pixels: at most half of the shorter side of `rect`.
  static func radius(_ radius: Double, scale: Double, in rect: PixelRect) -> Int {
    max(0, min(PixelRect.nearest(radius * scale), largestRadius, rect.width / 2, rect.height / 2))
  }

  subscript(shape: CornerShape) -> CornerMask {
    mutating get {
      if let mask = masks[shape] { return mask }
      if pixelCount > Self.capacity {
        masks.removeAll()
        pixelCount = 0
      }
      pixelCount += shape.radius * shape.radius
      let mask = CornerMask(shape)
      masks[shape] = mask
      return mask
    }
  }
}
