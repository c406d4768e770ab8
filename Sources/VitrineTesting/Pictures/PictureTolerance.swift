/// How far two pictures may differ and still count as the same.
public struct PictureTolerance: Hashable, Sendable {
  /// Levels, of 255, that each channel of each pixel may be off.
  public var levels: Int
  /// Share of the pixels, 0…1, that may be further off, by however much.
  public var share: Double

  /// So many levels in each channel; no pixel may be further off unless said otherwise.
  public init(levels: Int, share: Double = 0) {
    self.levels = levels
    self.share = share
  }

  /// Not a level off.
  public static let exact = PictureTolerance(levels: 0)
  /// 2 levels, for rounding in the blending of fills and pictures.
  public static let drawing = PictureTolerance(levels: 2)
  /// 2 levels, and 0.1 % of the pixels further off: edges of letters vary with the version of the font's rasterizer.
  public static let text = PictureTolerance(levels: 2, share: 0.001)
}
