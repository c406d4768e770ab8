import VitrineGraphics

/// Blurs previews: the less of an image has been received, the stronger.
enum PreviewBlur {
  /// Returns the blur radius in pixels of the full-size image, from 45 at the beginning to 1 at the end (YYWebImage's
  /// rule).
  ///
  /// - Parameter step: The number of scans or passes shown. Decides the radius if `expected` is unknown.
  static func radius(received: Int, expected: Int?, step: Int) -> Double {
    guard let expected, expected > 0 else { return 32 / Double(max(1, step)) }
    let fraction = min(1, Double(received) / Double(expected))
    return 32 * (1 / (3 * fraction + 0.6) - 0.25)
  }

  /// Returns a blurred copy. Three passes of a box blur in each direction approximate a Gaussian blur with the standard
  /// deviation `radius`, as in UIKit (W3C, "Filter Effects", feGaussianBlur). Colors are weighted by alpha; pixels at
  /// the edges are repeated beyond them. The time does not depend on the radius. Allocates the memory of the image once
  /// more.
  static func blurred(_ bitmap: Bitmap, radius: Double) -> Bitmap {
    // An odd box is centered on a pixel. With more than 255 pixels, the sums would not be exact.
    let width = min(255, Int(radius * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5) | 1)
    guard width > 1 else { return bitmap }
    return Bitmap(
      width: bitmap.width, height: bitmap.height, format: bitmap.format, isOpaque: bitmap.isOpaque
    ) { pixels, _ in
      bitmap.withUnsafeBytes { pixels.copyMemory(from: $0) }
      let target = pixels.assumingMemoryBound(to: SIMD4<UInt8>.self)
      if !bitmap.isOpaque { target.multiplyByAlpha() }
      var blur = BoxBlur(target, width: bitmap.width, height: bitmap.height, box: width)
      blur.blurRows()
      blur.blurColumns()
      if !bitmap.isOpaque { target.divideByAlpha() }
    }
  }
}

/// A box blur with running sums: each step adds a pixel at one end and subtracts a pixel at the other.
private struct BoxBlur {
  private let pixels: UnsafeMutableBufferPointer<SIMD4<UInt8>>
  private let width: Int
  private let height: Int
  private let halfWidth: Int
  /// 65,536 divided by the box width, rounded: the upper 16 bits of the product with a sum are the mean.
  private let reciprocal: UInt32

  init(_ pixels: UnsafeMutableBufferPointer<SIMD4<UInt8>>, width: Int, height: Int, box: Int) {
    self.pixels = pixels
    self.width = width
    self.height = height
    halfWidth = box / 2
    reciprocal = UInt32((65_536 + box / 2) / box)
  }

  private func mean(_ sum: SIMD4<UInt32>) -> SIMD4<UInt8> {
    SIMD4<UInt8>(truncatingIfNeeded: (sum &* reciprocal &+ 32_768) &>> 16)
  }

  mutating func blurRows() {
    withUnsafeTemporaryAllocation(of: SIMD4<UInt8>.self, capacity: width) { copy in
      for y in 0..<height {
        let row = UnsafeMutableBufferPointer(rebasing: pixels[(y * width)..<((y + 1) * width)])
        for _ in 0..<3 {
          _ = copy.update(fromContentsOf: row)
          blur(UnsafeBufferPointer(copy), to: row)
        }
      }
    }
  }

  private func blur(
    _ source: UnsafeBufferPointer<SIMD4<UInt8>>, to target: UnsafeMutableBufferPointer<SIMD4<UInt8>>
  ) {
    func pixel(_ x: Int) -> SIMD4<UInt32> {
      SIMD4<UInt32>(truncatingIfNeeded: source[min(max(x, 0), source.count - 1)])
    }
    var sum = SIMD4<UInt32>.zero
    for x in -halfWidth...halfWidth { sum &+= pixel(x) }
    for x in target.indices {
      target[x] = mean(sum)
      sum = sum &+ pixel(x + halfWidth + 1) &- pixel(x - halfWidth)
    }
  }

  /// Blurs row by row, with one sum per column.
  mutating func blurColumns() {
    withUnsafeTemporaryAllocation(of: SIMD4<UInt8>.self, capacity: width * height) { copy in
      withUnsafeTemporaryAllocation(of: SIMD4<UInt32>.self, capacity: width) { sums in
        for _ in 0..<3 {
          _ = copy.update(fromContentsOf: pixels)
          blurColumns(UnsafeBufferPointer(copy), sums)
        }
      }
    }
  }

  private func blurColumns(
    _ source: UnsafeBufferPointer<SIMD4<UInt8>>, _ sums: UnsafeMutableBufferPointer<SIMD4<UInt32>>
  ) {
    func row(_ y: Int) -> UnsafeBufferPointer<SIMD4<UInt8>> {
      let y = min(max(y, 0), height - 1)
      return UnsafeBufferPointer(rebasing: source[(y * width)..<((y + 1) * width)])
    }
    sums.update(repeating: .zero)
    for y in -halfWidth...halfWidth {
      let row = row(y)
      for x in 0..<width { sums[x] &+= SIMD4<UInt32>(truncatingIfNeeded: row[x]) }
    }
    for y in 0..<height {
      let (next, last) = (row(y + halfWidth + 1), row(y - halfWidth))
      let target = UnsafeMutableBufferPointer(rebasing: pixels[(y * width)..<((y + 1) * width)])
      for x in 0..<width {
        target[x] = mean(sums[x])
        sums[x] =
          sums[x] &+ SIMD4<UInt32>(truncatingIfNeeded: next[x])
          &- SIMD4<UInt32>(truncatingIfNeeded: last[x])
      }
    }
  }
}

extension UnsafeMutableBufferPointer<SIMD4<UInt8>> {
  /// Multiplies the colors by alpha.
  fileprivate func multiplyByAlpha() {
    for index in indices where self[index].w < 255 {
      let alpha = self[index].w
      var sums = SIMD4<UInt32>(truncatingIfNeeded: self[index]) &* UInt32(alpha) &+ 127
      sums /= 255
      self[index] = SIMD4<UInt8>(truncatingIfNeeded: sums)
      self[index].w = alpha
    }
  }

  /// Reverses `multiplyByAlpha()`.
  fileprivate func divideByAlpha() {
    for index in indices where self[index].w < 255 {
      let alpha = self[index].w
      guard alpha > 0 else {
        self[index] = .zero
        continue
      }
      let products = SIMD4<UInt32>(truncatingIfNeeded: self[index]) &* 255 &+ UInt32(alpha / 2)
      self[index] = SIMD4<UInt8>(clamping: products / UInt32(alpha))
      self[index].w = alpha
    }
  }
}
