/// The accepted difference between two images.
public struct ImageTolerance: Hashable, Sendable {
  /// The accepted difference of each channel of a pixel, in levels of 255.
  public var levels: Int
  /// The fraction of pixels, 0…1, that may differ by any number of levels.
  public var fraction: Double

  /// Creates a tolerance, by default without pixels that may differ by more than `levels`.
  public init(levels: Int, fraction: Double = 0) {
    self.levels = levels
    self.fraction = fraction
  }

  /// No difference.
  public static let exact = ImageTolerance(levels: 0)
  /// 2 levels, for rounding in the blending of fills and images.
  public static let drawing = ImageTolerance(levels: 2)
  /// 2 levels, and any difference in 0.1 % of the pixels: the edges of letters vary with the version of the font
  /// rasterizer.
  public static let text = ImageTolerance(levels: 2, fraction: 0.001)
}
