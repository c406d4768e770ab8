import Vitrine

/// The frames in a media bar: the image at the left, beside it the texts, the buttons in the middle or at the right.
nonisolated struct MediaBarLayout: Equatable {
  let image, title, detail: Rect
  /// The buttons in order: previous, play, next, favorite.
  let buttons: [Rect]

  /// The width in points below which a bar has smaller buttons, of 48 points, and a smaller image.
  private static let narrow = 560.0
  /// The width in points from which on the buttons of the player are in the middle.
  private static let wide = 800.0

  /// The width in points below which there are no texts.
  private static let leastTextWidth = 64.0

  /// Returns the height of a bar in points.
  static func height(forWidth width: Double) -> Double { width < narrow ? 72 : 88 }

  init(width: Double) {
    let height = Self.height(forWidth: width)
    let isNarrow = width < Self.narrow
    let margin = isNarrow ? 8.0 : 16
    let side = isNarrow ? 48.0 : 56
    let gap = isNarrow ? 4.0 : 12
    func button(_ x: Double) -> Rect {
      Rect(x: x, y: ((height - side) / 2).rounded(), width: side, height: side)
    }

    let imageHeight = height - 16
    image = Rect(x: margin, y: 8, width: isNarrow ? 56 : (imageHeight * 4 / 3).rounded(), height: imageHeight)
    let favorite = button(max(0, width - margin - side))
    let playerWidth = 3 * side + 2 * gap
    let start =
      width >= Self.wide ? ((width - playerWidth) / 2).rounded() : max(0, favorite.minX - gap - playerWidth)
    buttons = (0..<3).map { button(start + Double($0) * (side + gap)) } + [favorite]

    let x = image.maxX + margin
    let textWidth = start - margin - x < Self.leastTextWidth ? 0 : start - margin - x
    title = Rect(x: x, y: height / 2 - 24, width: textWidth, height: 26)
    detail = Rect(x: x, y: height / 2 + 2, width: textWidth, height: 20)
  }
}
