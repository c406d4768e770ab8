import Vitrine

/// The sizes of the parts of the home screen. On a small screen they become smaller, and then leave.
nonisolated struct HomeLayout: Hashable {
  /// The distance of texts and tiles from the edges in points.
  let margin: Double
  /// The distance of the tiles from the upper and the lower edge of the strip in points.
  let padding: Double
  let gap: Double
  /// The size of a tile of the strip in points; `nil` on a screen that is too low for a strip.
  let tile: Size?
  /// The size of the font of title and clock in points; `nil` on a screen without texts.
  let titleSize: Double?
  /// True if there is room for the line that says what the slideshow costs.
  let showsCost: Bool

  /// The height of the line that says what the slideshow costs, in points.
  static let costHeight = 20.0
  /// The smallest height of a tile in points, for fingers.
  private static let leastTile = 40.0

  /// - Parameter size: The size of the screen without header and status line, in points.
  init(_ size: Size) {
    let isSmall = min(size.width, size.height) < 360
    margin = isSmall ? 12 : 24
    padding = isSmall ? 8 : 16
    gap = isSmall ? 6 : 12
    let height = min(104, max(Self.leastTile, (size.height * 0.14).rounded()))
    tile = size.height < 140 ? nil : Size(width: (height * 1.5).rounded(), height: height)
    let title = min(size.width / 20, size.height / 18).rounded(.down)
    titleSize = size.height < 90 || size.width < 120 ? nil : min(32, max(14, title))
    showsCost = size.height >= 220 && size.width >= 240
  }

  /// The height of the strip in points; 0 without a strip.
  var stripHeight: Double { tile.map { $0.height + 2 * padding } ?? 0 }

  /// The distances of title and clock from the edges of the caption, whose gradient begins at its top.
  var captionInsets: Insets {
    Insets(
      top: (titleSize ?? 0) * 1.75, left: margin,
      bottom: (showsCost ? Self.costHeight : 0) + (tile == nil ? margin : padding / 2), right: margin)
  }
}
