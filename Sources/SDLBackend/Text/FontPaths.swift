/// The font files of the two weights, TrueType or OpenType.
public struct FontPaths: Hashable, Sendable {
  /// The path of the file for `Font.Weight.regular`.
  public var regular: String
  /// The path of the file for `Font.Weight.bold`; may be the same file.
  public var bold: String

  /// Creates font paths. The files are not opened before a host is created.
  public init(regular: String, bold: String) {
    self.regular = regular
    self.bold = bold
  }

  /// DejaVu Sans, installed by Debian's package fonts-dejavu-core.
  public static let dejaVu = FontPaths(
    regular: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    bold: "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf")
}
