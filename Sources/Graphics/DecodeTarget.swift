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
  public var width: Int
  /// Height of the box in pixels, at least 1.
  public var height: Int
  /// What becomes of the picture's aspect ratio; `.fill` unless said otherwise.
  public var mode: Mode

  /// A side below 1 counts as 1.
  public init(width: Int, height: Int, mode: Mode = .fill) {
    self.width = max(1, width)
    self.height = max(1, height)
    self.mode = mode
  }

  /// The size in pixels that a source of the given size is decoded to: its aspect ratio kept, at least 1x1,
  /// never larger than the source.
  public func outputSize(sourceWidth: Int, sourceHeight: Int) -> (width: Int, height: Int) {
    guard sourceWidth > 0, sourceHeight > 0 else { return (1, 1) }
    let horizontal = Double(width) / Double(sourceWidth)
    let vertical = Double(height) / Double(sourceHeight)
    let factor = mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical)
    guard factor < 1 else { return (sourceWidth, sourceHeight) }
    return (
      max(1, Int((Double(sourceWidth) * factor).rounded())),
      max(1, Int((Double(sourceHeight) * factor).rounded()))
    )
  }

  /// Whether an image that is already decoded has at least the pixels that this target asks for.
  public func isSatisfied(by image: Image) -> Bool {
    if image.isFullSize { return true }
    let wanted = outputSize(sourceWidth: image.sourceWidth, sourceHeight: image.sourceHeight)
    return image.pixelWidth >= wanted.width && image.pixelHeight >= wanted.height
  }
}
