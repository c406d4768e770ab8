/// The size in pixels for which an image is needed. Decoders produce no more pixels than the target requires.
///
/// For example, a slot of 64x64 points on a screen of scale 2, filled and cropped, needs
/// `DecodeTarget(width: 128, height: 128, mode: .fill)`.
public struct DecodeTarget: Hashable, Sendable {
  /// The relation between the image's aspect ratio and the box.
  public enum Mode: Hashable, Sendable {
    /// The whole image fits inside the box: its width and its height are at most those of the box.
    case fit
    /// The image covers the box: its width and its height are at least those of the box. Pixels outside the box are
    /// kept.
    case fill
    /// Like `fill` for an image of a shape similar to that of the box, and like `fit` for any other: an image that
    /// would lose more than 30 percent of its width or its height is decoded whole. Transforms come later: the shape of
    /// the encoded image counts.
    case fillIfSimilar
  }

  /// The width of the box in pixels, at least 1.
  public var width: Int {
    get { Int(storedWidth) }
    set { storedWidth = Self.stored(newValue) }
  }
  /// The height of the box in pixels, at least 1.
  public var height: Int {
    get { Int(storedHeight) }
    set { storedHeight = Self.stored(newValue) }
  }
  /// The relation between the image's aspect ratio and the box.
  public var mode: Mode

  // 16 bits per side keep every request small.
  private var storedWidth, storedHeight: UInt16

  /// Creates a target. The width and the height are clamped to 1...65,535.
  public init(width: Int, height: Int, mode: Mode = .fill) {
    storedWidth = Self.stored(width)
    storedHeight = Self.stored(height)
    self.mode = mode
  }

  /// The smallest ratio between the aspect ratios of image and box with which `.fillIfSimilar` covers the box. 0.7
  /// crops a square to 7:10, and shows a portrait whole on a wide screen.
  private static let leastSimilarity = 0.7

  /// Returns true if a source of this size covers the box, and false if it fits inside.
  package func fills(sourceWidth: Int, sourceHeight: Int) -> Bool {
    switch mode {
    case .fit: return false
    case .fill: return true
    case .fillIfSimilar:
      let ratio = Double(sourceWidth) * Double(height) / (Double(sourceHeight) * Double(width))
      return min(ratio, 1 / ratio) >= Self.leastSimilarity
    }
  }

  private static func stored(_ side: Int) -> UInt16 { UInt16(clamping: max(1, side)) }

  /// Returns the size in pixels to which a source of the given size is decoded. Keeps the aspect ratio; the result is
  /// at least 1x1 and never larger than the source.
  ///
  /// If the source covers the box, the side that exceeds the box gets the same number of extra pixels at both ends, so
  /// that a centered crop consists of whole pixels. For example, 1600x1200 becomes 86x64 for a box of 64x64; the exact
  /// size is 85.33x64.
  package func outputSize(sourceWidth: Int, sourceHeight: Int) -> (width: Int, height: Int) {
    guard sourceWidth > 0, sourceHeight > 0 else { return (1, 1) }
    let exact = exactSize(sourceWidth: sourceWidth, sourceHeight: sourceHeight)
    guard fills(sourceWidth: sourceWidth, sourceHeight: sourceHeight) else {
      return (Self.rounded(exact.width), Self.rounded(exact.height))
    }
    return (
      Self.covering(exact.width, box: width, limit: sourceWidth),
      Self.covering(exact.height, box: height, limit: sourceHeight)
    )
  }

  /// Returns the exact decoded size in fractional pixels, before rounding. Never larger than the source.
  package func exactSize(sourceWidth: Int, sourceHeight: Int) -> (width: Double, height: Double) {
    let horizontal = Double(width) / Double(sourceWidth)
    let vertical = Double(height) / Double(sourceHeight)
    let fills = fills(sourceWidth: sourceWidth, sourceHeight: sourceHeight)
    let factor = min(1, fills ? max(horizontal, vertical) : min(horizontal, vertical))
    return (Double(sourceWidth) * factor, Double(sourceHeight) * factor)
  }

  private static func rounded(_ side: Double) -> Int { max(1, Int(side.rounded())) }

  /// Returns the smallest number of pixels that covers `exact`, at most `limit`. The excess over a smaller `box`
  /// is rounded up to an even number.
  private static func covering(_ exact: Double, box: Int, limit: Int) -> Int {
    // The subtraction absorbs rounding errors: the side that determines the factor must come out as `box`.
    let count = max(1, Int((exact - 1e-6).rounded(.up)))
    return min(limit, count >= box && (count - box) % 2 != 0 ? count + 1 : count)
  }

  /// Returns true if a decoded image has at least the pixels that this target requires, or all pixels of the source. An
  /// application's own `ImageRequestCache` uses this method to choose among the sizes that it has.
  public func isSatisfied(by image: Image) -> Bool {
    if image.isFullSize { return true }
    let exact = exactSize(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
    return image.pixelWidth >= Self.rounded(exact.width) && image.pixelHeight >= Self.rounded(exact.height)
  }
}
