/// What a mask says of a rounded corner, and how large it is.
nonisolated struct CornerShape: Hashable {
  /// Which pixels of a quarter of a disc are covered.
  enum Part: Hashable {
    /// All of it, soft along the edge.
    case all
    /// The pixels that lie inside as a whole. The others, which the edge runs through, are left to an opaque border
    /// over it: were both soft there, this one would shine through.
    case inside
    /// A border of so many pixels along the edge, soft on both sides.
    case border(Int)
  }

  /// In pixels; 0 is a square corner.
  let radius: Int
  var part = Part.all
}

/// How much of each pixel a rounded corner covers, 0…255: a quarter of a disc, or of a ring.
nonisolated struct CornerMask {
  let shape: CornerShape
  /// The top left corner, `radius` rows of `radius` pixels.
  private let left: [UInt8]
  /// The same, mirrored: the top right corner.
  private let right: [UInt8]

  /// In pixels; 0 is a square corner.
  var radius: Int { shape.radius }

  init(radius: Int) { self.init(CornerShape(radius: radius)) }

  init(_ shape: CornerShape) {
    self.shape = shape
    let radius = shape.radius
    var left: [UInt8] = []
    left.reserveCapacity(radius * radius)
    for y in 0..<radius {
      for x in 0..<radius {
        // Distance of the pixel's middle from the disc's; the edge runs through pixels within half of it.
        let dx = Double(radius - x) - 0.5
        let dy = Double(radius - y) - 0.5
        let distance = (dx * dx + dy * dy).squareRoot()
        func coverage(_ radius: Int) -> Double { min(1, max(0, Double(radius) - distance + 0.5)) }
        let share =
          switch shape.part {
          case .all: coverage(radius)
          case .inside: coverage(radius).rounded(.down)
          case .border(let width): coverage(radius) - (width < radius ? coverage(radius - width) : 0)
          }
        left.append(UInt8((share * 255).rounded()))
      }
    }
    self.left = left
    right = (0..<radius).flatMap { row in left[(row * radius)..<((row + 1) * radius)].reversed() }
  }

  /// The row of the mask that holds for a row of a rectangle; nil between the corners.
  func row(of y: Int, in rect: PixelRect) -> Int? {
    let fromEdge = min(y - rect.top, rect.bottom - 1 - y)
    return fromEdge < radius ? fromEdge : nil
  }

  /// Coverage of the left and of the right corner's pixels in a row of the mask, from left to right.
  func withRow(
    _ row: Int, _ body: (_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>) -> Void
  ) {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return }
        body(leftBase + row * radius, rightBase + row * radius)
      }
    }
  }
}

extension CoverageMask {
  /// Four corners put together.
  nonisolated init(_ corners: CornerMask) {
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

/// Corner masks by shape. There are few of them; a view that animates its radius does not let them pile up.
nonisolated struct CornerMasks {
  /// Larger than half of any screen's height.
  private static let largestRadius = 2048
  /// Pixels of all masks.
  private static let capacity = 1 << 20

  private var masks: [CornerShape: CornerMask] = [:]
  private var pixelCount = 0

  /// The radius in pixels of the corners of a rectangle: at most half of its shorter side.
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
