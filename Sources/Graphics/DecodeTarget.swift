/// How large a picture is needed, so that no more than that is decoded.
///
/// A slot of 64x64 points on a screen of scale 2, filled and cropped, asks for
/// `DecodeTarget(width: 128, height: 128, mode: .fill)`.
public struct DecodeTarget: Hashable, Sendable {
  /// What becomes of the picture's aspect ratio.
  public enum Mode: Hashable, Sendable {
    /// The whole picture inside the box: at most as wide and as high.
    case fit
    /// The box covered: at least as wide and as high, what lies outside kept.
    case fill
  }

  /// Width of the box in pixels, at least 1.
  public var width: Int {
    get { Int(storedWidth) }
    set { storedWidth = Self.stored(newValue) }
  }
  /// Height of the box in pixels, at least 1.
  public var height: Int {
    get { Int(storedHeight) }
    set { storedHeight = Self.stored(newValue) }
  }
  /// What becomes of the picture's aspect ratio; `.fill` unless said otherwise.
  public var mode: Mode

  // Small, since it lies in every request.
  private var storedWidth: UInt16
  private var storedHeight: UInt16

  /// A side below 1 counts as 1, and one beyond 65,535 as that: hardly a picture has more.
  public init(width: Int, height: Int, mode: Mode = .fill) {
    storedWidth = Self.stored(width)
    storedHeight = Self.stored(height)
    self.mode = mode
  }

  private static func stored(_ side: Int) -> UInt16 { UInt16(clamping: max(1, side)) }

  /// The size in pixels that a source of the given size is decoded to: its aspect ratio kept, at least 1x1,
  /// never larger than the source.
  ///
  /// With `.fill` the side that is too long gets as many pixels on one side of the box as on the other, so that
  /// cropping shows whole pixels: 1600x1200 becomes 86x64 in a box of 64x64, of which 85.33x64 are covered.
  public func outputSize(sourceWidth: Int, sourceHeight: Int) -> (width: Int, height: Int) {
    guard sourceWidth > 0, sourceHeight > 0 else { return (1, 1) }
    let exact = exactSize(sourceWidth: sourceWidth, sourceHeight: sourceHeight)
    switch mode {
    case .fit: return (Self.rounded(exact.width), Self.rounded(exact.height))
    case .fill:
      return (
        Self.covering(exact.width, box: width, limit: sourceWidth),
        Self.covering(exact.height, box: height, limit: sourceHeight)
      )
    }
  }

  /// The size that the source has beside the box, in parts of pixels; never larger than the source.
  package func exactSize(sourceWidth: Int, sourceHeight: Int) -> (width: Double, height: Double) {
    let horizontal = Double(width) / Double(sourceWidth)
    let vertical = Double(height) / Double(sourceHeight)
    let factor = min(1, mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical))
    return (Double(sourceWidth) * factor, Double(sourceHeight) * factor)
  }

  private static func rounded(_ side: Double) -> Int { max(1, Int(side.rounded())) }

  /// The least whole number of pixels that covers a side and differs from the box's by an even number.
  private static func covering(_ exact: Double, box: Int, limit: Int) -> Int {
    // The side that decides is the box's, but for rounding.
    let count = max(1, Int((exact - 1e-6).rounded(.up)))
    return min(limit, count >= box && (count - box) % 2 != 0 ? count + 1 : count)
  }

  /// Whether an image that is already decoded has at least the pixels that this target asks for.
  public func isSatisfied(by image: Image) -> Bool {
    if image.isFullSize { return true }
    let wanted = exactSize(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
    return image.pixelWidth >= Self.rounded(wanted.width) && image.pixelHeight >= Self.rounded(wanted.height)
  }
}
