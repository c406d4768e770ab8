/// A text face by size and weight; which file it comes from is up to the backend.
public struct Font: Hashable, Sendable {
  /// The two weights that every backend has.
  public enum Weight: Hashable, Sendable {
    /// The upright face of normal weight.
    case regular
    /// The bold face, for titles.
    case bold
  }

  /// Height of the em square in points.
  public var size: Double
  /// How heavy it is; regular unless said otherwise.
  public var weight: Weight

  /// A face of `size` points.
  public init(size: Double, weight: Weight = .regular) {
    self.size = size
    self.weight = weight
  }

  /// The regular face at `size` points.
  public static func regular(_ size: Double) -> Font { Font(size: size) }
  /// The bold face at `size` points.
  public static func bold(_ size: Double) -> Font { Font(size: size, weight: .bold) }
}
