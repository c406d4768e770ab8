import Vitrine

/// A tile of the grid, filled with its picture. A pressed one is darker, a selected one paler and ticked.
final class TileCell: FeedCell {
  private let shade = View()
  private let badge = View()
  private let tick = Label("✓", color: Theme.text)

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    badge.backgroundColor = Theme.text
    tick.backgroundColor = Theme.accent
    tick.alignment = .center
    for view in [shade, badge, tick] {
      view.isHidden = true
      addSubview(view)
    }
  }

  override func stateDidChange() {
    super.stateDidChange()
    shade.isHidden = !isHighlighted && !isChosen
    shade.backgroundColor =
      isHighlighted ? Color.black.multiplyingAlpha(by: 0.4) : Color.white.multiplyingAlpha(by: 0.3)
    badge.isHidden = !isChosen
    tick.isHidden = !isChosen
  }

  override func layoutSubviews() {
    let side = min(bounds.width, bounds.height)
    // Tiles that touch each other make one picture, which has no corners inside.
    let touchesOthers = (superview as? ListView)?.layout.gap == 0
    cornerRadius = touchesOthers ? 0 : min(6, (side / 16).rounded())
    for view in [picture, shade] {
      view.frame = bounds
      view.cornerRadius = cornerRadius
    }
    let size = min(24, max(12, (side / 4).rounded()))
    let distance = (size / 4).rounded()
    badge.frame = Rect(
      x: bounds.width - size - distance, y: bounds.height - size - distance, width: size, height: size)
    badge.cornerRadius = size / 2
    tick.frame = badge.frame.inset(by: 2)
    tick.cornerRadius = size / 2 - 2
    tick.font = .bold((size * 0.55).rounded())
  }
}
