import VitrineGraphics

/// A small, blurred and darkened copy of an image, enlarged to fill the view.
nonisolated struct SlideBackdrop {
  /// The number of view pixels per pixel of the copy.
  private static let reduction = 24
  /// The brightness of the copy, in 256ths.
  private static let brightness: UInt32 = 112
  /// The number of samples along each side that make up a pixel of the copy.
  private static let samples = 6

  private let width, height: Int
  private let viewWidth, viewHeight: Int
  /// The pixels of the copy, with eight more bits per channel.
  private var pixels: [SIMD4<UInt32>]

  /// Creates the backdrop of a view from the middle of an image.
  init(of bitmap: Bitmap, width viewWidth: Int, height viewHeight: Int) {
    (self.viewWidth, self.viewHeight) = (viewWidth, viewHeight)
    width = max(2, viewWidth / Self.reduction)
    height = max(2, viewHeight / Self.reduction)
    pixels = Self.reduced(bitmap, to: (width, height), filling: (viewWidth, viewHeight))
    for _ in 0..<2 {
      blur(count: width, stride: 1, lines: height, lineStride: width)
      blur(count: height, stride: width, lines: width, lineStride: 1)
    }
  }

  /// Returns the part of the bitmap that fills the view, reduced by averages of samples over black, and darkened.
  private static func reduced(
    _ bitmap: Bitmap, to size: (width: Int, height: Int), filling view: (width: Int, height: Int)
  ) -> [SIMD4<UInt32>] {
    let factor = min(
      Double(bitmap.width) / Double(view.width), Double(bitmap.height) / Double(view.height))
    let part = (width: Double(view.width) * factor, height: Double(view.height) * factor)
    let origin = (
      x: (Double(bitmap.width) - part.width) / 2, y: (Double(bitmap.height) - part.height) / 2
    )
    func position(_ index: Int, _ count: Int, _ origin: Double, _ length: Double, limit: Int) -> Int {
      min(limit - 1, max(0, Int(origin + (Double(index) + 0.5) / Double(count) * length)))
    }
    let columns = (0..<size.width * samples).map {
      position($0, size.width * samples, origin.x, part.width, limit: bitmap.width)
    }
    let rows = (0..<size.height * samples).map {
      position($0, size.height * samples, origin.y, part.height, limit: bitmap.height)
    }
    return bitmap.withUnsafeBytes { bytes in
      let source = bytes.assumingMemoryBound(to: SIMD4<UInt8>.self)
      return (0..<size.width * size.height).map { index in
        let (x, y) = (index % size.width * samples, index / size.width * samples)
        var sum = SIMD4<UInt32>(repeating: 0)
        for row in rows[y..<(y + samples)] {
          for column in columns[x..<(x + samples)] {
            let pixel = source[row * bitmap.width + column]
            let color = SIMD4<UInt32>(truncatingIfNeeded: pixel)
            sum = sum &+ (bitmap.isOpaque ? color : color &* UInt32(pixel.w) / 255)
          }
        }
        return sum &* brightness / UInt32(samples * samples)
      }
    }
  }

  /// Averages each pixel with the two pixels at both sides along one axis.
  private mutating func blur(count: Int, stride: Int, lines: Int, lineStride: Int) {
    for line in 0..<lines {
      let copy = (0..<count).map { pixels[line * lineStride + $0 * stride] }
      for index in 0..<count {
        var sum = SIMD4<UInt32>(repeating: 0)
        for offset in -2...2 { sum = sum &+ copy[min(count - 1, max(0, index + offset))] }
        pixels[line * lineStride + index * stride] = sum / 5
      }
    }
  }

  /// Draws a part of a row of the view. `line` is the whole row.
  func draw(row y: Int, columns: Range<Int>, into line: UnsafeMutableBufferPointer<SIMD4<UInt8>>) {
    guard !columns.isEmpty else { return }
    let vertical = Self.position(y, of: viewHeight, in: height)
    let (upper, lower) = (vertical.index * width, min(height - 1, vertical.index + 1) * width)
    let blended = (0..<width).map { x in
      Self.mean(pixels[upper + x], pixels[lower + x], vertical.fraction)
    }
    for x in columns {
      let horizontal = Self.position(x, of: viewWidth, in: width)
      let color = Self.mean(
        blended[horizontal.index], blended[min(width - 1, horizontal.index + 1)], horizontal.fraction)
      var pixel = SIMD4<UInt8>(truncatingIfNeeded: (color &+ 128) &>> 8)
      pixel.w = 255
      line[x] = pixel
    }
  }

  /// Returns the position of a view pixel's center between two pixels of the copy; the fraction in 256ths.
  private static func position(
    _ pixel: Int, of viewSide: Int, in side: Int
  ) -> (index: Int, fraction: UInt32) {
    let position = max(0, ((2 * pixel + 1) * side * 256 / viewSide - 256) / 2)
    return (min(side - 1, position / 256), UInt32(position % 256))
  }

  private static func mean(_ a: SIMD4<UInt32>, _ b: SIMD4<UInt32>, _ fraction: UInt32) -> SIMD4<UInt32> {
    (a &* (256 - fraction) &+ b &* fraction &+ 128) &>> 8
  }
}
