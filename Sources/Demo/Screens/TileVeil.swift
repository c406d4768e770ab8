import Vitrine

/// The overlay of a pressed or selected tile.
final class TileVeil: View {
  private let badge = View()
  private let tick = Label("✓", color: Theme.text)

  init() {
    super.init()
    isUserInteractionEnabled = false
    isAccessibilityHidden = true
    badge.backgroundColor = Theme.text
    tick.backgroundColor = Theme.accent
    tick.alignment = .center
    addSubview(badge)
    addSubview(tick)
  }

  /// Shows the state of the tile: dark for a pressed tile, light for a selected one, and hidden for any other.
  func show(isPressed: Bool, isTicked: Bool) {
    isHidden = !isPressed && !isTicked
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
