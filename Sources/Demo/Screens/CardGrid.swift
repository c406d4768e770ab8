import Vitrine

/// A grid of cards of equal size, with as many columns as fit, from one to three.
struct CardGrid {
  static let gap = 24.0
  private static let minimumCardWidth = 336.0
  private static let height = 304.0

  let width: Double
  /// The height in points of the content above the cards.
  var top = 0.0

  /// Lays out the cards and sets the scroll view's content size. Returns the y coordinate at which content below the
  /// cards begins.
  @discardableResult
  func layOut(_ cards: [ButtonCard], in scroll: ScrollView) -> Double {
    let gap = Self.gap
    let columns = max(1, min(3, Int((width - gap) / (Self.minimumCardWidth + gap))))
    let cardWidth = ((width - gap * Double(columns + 1)) / Double(columns)).rounded(.down)
    for (index, card) in cards.enumerated() {
      let column = Double(index % columns)
      let row = Double(index / columns)
      card.frame = Rect(
        x: gap + column * (cardWidth + gap), y: top + gap + row * (Self.height + gap), width: cardWidth,
        height: Self.height)
    }
    let rows = Double((cards.count + columns - 1) / columns)
    let end = top + gap + rows * (Self.height + gap)
    scroll.contentSize = Size(width: width, height: end)
    return end
  }
}
