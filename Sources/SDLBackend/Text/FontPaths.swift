/// The font files of the two weights: TrueType or OpenType.
public nonisolated struct FontPaths: Hashable, Sendable {
  public var regular: String
  public var bold: String

  public init(regular: String, bold: String) {
    self.regular = regular
    self.bold = bold
  }

  /// DejaVu Sans where Debian's package fonts-dejavu-core puts it.
  public static let dejaVu = FontPaths(
    regular: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    bold: "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf")
}
