/// The font files of the two weights: TrueType or OpenType.
public nonisolated struct FontPaths: Hashable, Sendable {
  /// Path of the file for `Font.Weight.regular`.
  public var regular: String
  /// Path of the file for `Font.Weight.bold`; may be the same one.
  public var bold: String

  /// Paths; the files are not looked at before a host is made.
  public init(regular: String, bold: String) {
    self.regular = regular
    self.bold = bold
  }

  /// DejaVu Sans where Debian's package fonts-dejavu-core puts it.
  public static let dejaVu = FontPaths(
    regular: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    bold: "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf")
}
