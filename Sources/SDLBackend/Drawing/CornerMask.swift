/// How much of each pixel a rounded corner covers, 0…255: a quarter of a disc.
nonisolated struct CornerMask {
  /// In pixels; 0 is a square corner.
  let radius: Int
  /// The top left corner, `radius` rows of `radius` pixels.
  private let left: [UInt8]
  /// The same, mirrored: the top right corner.
  private let right: [UInt8]

  init(radius: Int) {
    self.radius = radius
    var left: [UInt8] = []
    left.reserveCapacity(radius * radius)
    for y in 0..<radius {
      for x in 0..<radius {
        // Distance of the pixel's middle from the disc's; the edge runs through pixels within half of it.
        let dx = Double(radius - x) - 0.5
        let dy = Double(radius - y) - 0.5
        let coverage = Double(radius) - (dx * dx + dy * dy).squareRoot() + 0.5
        left.append(UInt8((min(1, max(0, coverage)) * 255).rounded()))
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

/// Corner masks by radius. There are few of them; a view that animates its radius does not let them pile up.
nonisolated struct CornerMasks {
  /// Larger than half of any screen's height.
  private static let largestRadius = 2048
  /// Pixels of all masks.
  private static let capacity = 1 << 20

  private var masks: [Int: CornerMask] = [:]
  private var pixelCount = 0

  /// The mask for the corners of a rectangle: the radius at most half of its shorter side.
  mutating func mask(radius: Double, scale: Double, in rect: PixelRect) -> CornerMask {
    let largest = min(Self.largestRadius, rect.width / 2, rect.height / 2)
    return self[max(0, min(PixelRect.nearest(radius * scale), largest))]
  }

  subscript(radius: Int) -> CornerMask {
    mutating get {
      if let mask = masks[radius] { return mask }
      if pixelCount > Self.capacity {
        masks.removeAll()
        pixelCount = 0
      }
      pixelCount += radius * radius
      let mask = CornerMask(radius: radius)
      masks[radius] = mask
      return mask
    }
  }
}
