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
    veil?.isHidden = !isVeiled
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

/// The overlay of a pressed or selected tile.
private final class TileVeil: View {
  private let badge = View()
  private let tick = Label("✓", color: Theme.text)

  init() {
    super.init()
    isUserInteractionEnabled = false
    badge.backgroundColor = Theme.text
    tick.backgroundColor = Theme.accent
    tick.alignment = .center
    addSubview(badge)
    addSubview(tick)
  }

  func show(isPressed: Bool, isTicked: Bool) {
    backgroundColor =
      isPressed ? Color.black.multiplyingAlpha(by: 0.4) : Color.white.multiplyingAlpha(by: 0.3)
    badge.isHidden = !isTicked
    tick.isHidden = !isTicked
  }

  override func layoutSubviews() {
    let size = min(24, max(12, (min(bounds.width, bounds.height) / 4).rounded()))
    let distance = (size / 4).rounded()
    badge.frame = Rect(
      x: bounds.width - size - distance, y: bounds.height - size - distance, width: size, height: size)
    badge.cornerRadius = size / 2
    tick.frame = badge.frame.inset(by: 2)
    tick.cornerRadius = size / 2 - 2
    tick.font = .bold((size * 0.55).rounded())
  }
}
