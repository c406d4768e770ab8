import Vitrine

/// The colors, fonts and distances of the demo. Distances are multiples of eight points.
enum Theme {
  static let background = Color(hex: 0x12_141A)
  static let bar = Color(hex: 0x1A_1D25)
  static let card = Color(hex: 0x1C_2029)
  static let tile = Color(hex: 0x23_2833)
  static let line = Color(hex: 0x2A_2F3B)
  static let text = Color(hex: 0xEE_F1F6)
  static let secondaryText = Color(hex: 0x97_A1B3)
  static let warning = Color(hex: 0xE8_B0_6A)
  static let accent = Color(hex: 0x4F_8EF7)
  static let accentFill = Color(hex: 0x22_3A63)

  static let title = Font.bold(17)
  static let body = Font.regular(13)
  static let caption = Font.regular(12)
  static let unit = 8.0
  static let headerHeight = 64.0
  static let statusHeight = 32.0

  /// Returns the distance of the contents of header and status line from the edges, in points. Below 400 points of width
  /// it is 8: the first button of the header, 4 points further in, then starts at the left edge of the list's images.
  static func barMargin(inWidth width: Double) -> Double { width < 400 ? 8 : 24 }
}

extension View {
  /// Gives the view the appearance of a card: slightly lighter than the background, with a thin border and a shadow.
  func applyCardStyle() {
    backgroundColor = Theme.card
    cornerRadius = 12
    borderWidth = 1
    borderColor = Theme.line
    shadow = Shadow(color: .black.multiplyingAlpha(by: 0.45), radius: 6, offset: Point(x: 0, y: 3))
  }
}
