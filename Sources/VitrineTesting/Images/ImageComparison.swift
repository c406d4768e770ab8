import Glibc
public import VitrineGraphics

/// The comparison of an image with the expected image.
///
/// ```swift
/// let comparison = ImageComparison(of: host.screenshot(), with: expected, tolerance: .text)
/// if !comparison.isMatch { try comparison.sideBySide.write(to: "difference.png") }
/// #expect(comparison.isMatch, "\(comparison)")
/// ```
///
/// Compares visible colors: channels are multiplied by alpha, so that two transparent pixels are equal regardless of
/// their color, and the byte order does not matter. If the images differ in size, each pixel that only one of them has
/// counts as a difference of 255 levels. Creating a comparison is O(n) in the number of pixels.
public struct ImageComparison: Sendable {
  /// The image under test.
  public let actual: Bitmap
  /// The image with which `actual` was compared.
  public let expected: Bitmap
  /// The accepted difference.
  public let tolerance: ImageTolerance
  /// The number of pixels in the area that covers both images, aligned at their top left corners: the larger width
  /// times the larger height.
  public let pixelCount: Int
  /// The number of pixels that differ by more than the tolerance's levels.
  public let differingPixelCount: Int
  /// The largest difference of any channel in levels (0…255), regardless of the tolerance.
  public let largestDifference: Int
  /// The smallest rectangle in pixels around all pixels that differ by more than the tolerance's levels; `nil` if there
  /// are none.
  public let differingRect: Rect?

  /// Compares two images, by default with the tolerance `drawing`.
  public init(of actual: Bitmap, with expected: Bitmap, tolerance: ImageTolerance = .drawing) {
    var count = 0
    var largest = 0
    var rect: Rect?
    actual.forEachDifference(from: expected) { x, y, levels in
      largest = max(largest, levels)
      guard levels > tolerance.levels else { return }
      count += 1
      let pixel = Rect(x: Double(x), y: Double(y), width: 1, height: 1)
      rect = rect?.union(pixel) ?? pixel
    }
    self.actual = actual
    self.expected = expected
    self.tolerance = tolerance
    differingPixelCount = count
    largestDifference = largest
    differingRect = rect
    pixelCount = max(actual.width, expected.width) * max(actual.height, expected.height)
  }

  /// True if both images are equal in size and no more pixels differ than the tolerance accepts.
  public var isMatch: Bool {
    hasSameSize && Double(differingPixelCount) <= tolerance.fraction * Double(pixelCount)
  }

  private var hasSameSize: Bool { actual.width == expected.width && actual.height == expected.height }
}

extension ImageComparison: CustomStringConvertible {
  /// A line with the number of differing pixels, the largest difference and the rectangle of the differences, or with
  /// both sizes if the sizes differ.
  public var description: String {
    guard hasSameSize else {
      return "\(actual.width)x\(actual.height) pixels, expected were \(expected.width)x\(expected.height)"
    }
    guard let rect = differingRect else { return "no pixel is off by more than \(tolerance.levels) levels" }
    let percent = (Double(differingPixelCount) / Double(pixelCount) * 10_000).rounded(.up) / 100
    return """
      \(differingPixelCount) of \(pixelCount) pixels (\(percent) %) are off by more than \(tolerance.levels) levels, \
      the worst by \(largestDifference), all within \(Int(rect.width))x\(Int(rect.height)) at \
      \(Int(rect.minX)), \(Int(rect.minY))
      """
  }
}

// MARK: Images of the difference

extension ImageComparison {
  /// An image that shows the differences: the expected image dark and gray, and each pixel that differs by more than
  /// the tolerance's levels in a color from red (a small difference) to yellow (255 levels). Covers the area of both
  /// images.
  public var difference: Bitmap {
    Bitmap(
      width: max(actual.width, expected.width), height: max(actual.height, expected.height), format: .rgba
    ) { x, y in
      let levels = actual.levels(from: expected, x, y)
      return levels > tolerance.levels
        ? Color(red: 255, green: UInt8(levels), blue: 0) : dark(expected.color(orClearAt: x, y))
    }
  }

  /// The expected image, the actual image and `difference`, from left to right on gray.
  public var sideBySide: Bitmap {
    let gap = 8
    let images = [expected, actual, difference]
    var width = gap
    let columns = images.map { image in
      defer { width += image.width + gap }
      return width..<width + image.width
    }
    return Bitmap(width: width, height: images[2].height + 2 * gap, format: .rgba) { x, y in
      guard let index = columns.firstIndex(where: { $0.contains(x) }) else { return Self.background }
      return images[index].color(orClearAt: x - columns[index].lowerBound, y - gap).over(Self.background)
    }
  }

  private static let background = Color(red: 128, green: 128, blue: 128)

  /// Returns the color as gray at a third of the brightness.
  private func dark(_ color: Color) -> Color {
    let sum = Int(color.red) + Int(color.green) + Int(color.blue)
    let grey = UInt8(sum * Int(color.alpha) / (3 * 3 * 255))
    return Color(red: grey, green: grey, blue: grey)
  }
}

extension Bitmap {
  /// Calls `body` for each pixel that differs, with the largest difference of a channel.
  fileprivate func forEachDifference(
    from other: Bitmap, _ body: (_ x: Int, _ y: Int, _ levels: Int) -> Void
  ) {
    let hasSameRows = format == other.format && width == other.width
    for y in 0..<max(height, other.height) {
      if hasSameRows, y < min(height, other.height), row(y, isSameIn: other) { continue }
      for x in 0..<max(width, other.width) {
        let levels = levels(from: other, x, y)
        if levels > 0 { body(x, y, levels) }
      }
    }
  }

  /// Returns the largest difference of a channel at a position; 255 where only one of the images has a pixel.
  fileprivate func levels(from other: Bitmap, _ x: Int, _ y: Int) -> Int {
    guard x < min(width, other.width), y < min(height, other.height) else { return 255 }
    return color(x: x, y: y).levels(from: other.color(x: x, y: y))
  }

  /// Returns true if the bytes of a row are equal in both images. A fast path: most rows are equal, and comparing bytes
  /// takes a hundredth of the time.
  private func row(_ y: Int, isSameIn other: Bitmap) -> Bool {
    withUnsafeBytes { bytes in
      other.withUnsafeBytes { otherBytes in
        guard let bytes = bytes.baseAddress, let otherBytes = otherBytes.baseAddress else { return false }
        return memcmp(bytes + y * bytesPerRow, otherBytes + y * bytesPerRow, bytesPerRow) == 0
      }
    }
  }

  fileprivate func color(orClearAt x: Int, _ y: Int) -> Color {
    y >= 0 && x < width && y < height ? color(x: x, y: y) : .clear
  }
}

extension Color {
  /// Returns the largest difference of a channel after multiplication by alpha, or of alpha itself.
  fileprivate func levels(from other: Color) -> Int {
    func blended(_ value: UInt8, _ alpha: UInt8) -> Int { (Int(value) * Int(alpha) + 127) / 255 }
    var largest = abs(Int(alpha) - Int(other.alpha))
    for (value, otherValue) in [(red, other.red), (green, other.green), (blue, other.blue)] {
      largest = max(largest, abs(blended(value, alpha) - blended(otherValue, other.alpha)))
    }
    return largest
  }

  fileprivate func over(_ other: Color) -> Color {
    let weight = Int(alpha)
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
      let sum = Int(a) * weight + Int(b) * (255 - weight)
      return UInt8((sum + 127) / 255)
    }
    return Color(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
  }
}
