import Vitrine

/// A tile of the grid, filled with an image. A pressed tile is darker; a selected tile is lighter and has a tick.
final class TileCell: FeedCell {
  /// The overlay, created when the tile is first pressed or selected, because most tiles never are.
  private var veil: TileVeil?

  override func stateDidChange() {
    super.stateDidChange()
    let isVeiled = isHighlighted || isChosen
    if isVeiled, veil == nil {
      let new = TileVeil()
      addSubview(new)
      veil = new
    }
    veil?.show(isPressed: isHighlighted, isTicked: isChosen)
  }

  override func update(_ item: Feed.Item) {
    super.update(item)
    accessibilityLabel = item.title
  }

  override func layoutSubviews() {
    // Tiles without gaps form one area, which must not have rounded corners inside.
    let touchesOthers = (superview as? ListView)?.layout.gap == 0
    cornerRadius = touchesOthers ? 0 : min(6, (min(bounds.width, bounds.height) / 16).rounded())
    for view in [image, veil].compactMap({ $0 }) {
      view.frame = bounds
      view.cornerRadius = cornerRadius
    }
  }
}
