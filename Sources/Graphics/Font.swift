/// A font by size and weight. The backend selects the font file.
public struct Font: Hashable, Sendable {
  /// The weight of a font. Every backend has both weights.
  public enum Weight: Hashable, Sendable {
    /// The regular weight.
    case regular
    /// The bold weight.
    case bold
  }

  /// The height of the em square in points.
  public var size: Double
  /// The weight; regular by default.
  public var weight: Weight

  /// Creates a font with an em square of `size` points; regular by default.
  public init(size: Double, weight: Weight = .regular) {
    self.size = size
    self.weight = weight
  }

  /// Returns the regular font at `size` points.
  public static func regular(_ size: Double) -> Font { Font(size: size) }
  /// Returns the bold font at `size` points.
  public static func bold(_ size: Double) -> Font { Font(size: size, weight: .bold) }
}
