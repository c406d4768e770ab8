import Vitrine

/// A large animated image with controls: play and pause, a bar of its frames, speed and order.
final class AnimationControls: View {
  private static let rates = [0.5, 1, 2, 4]
  private static let modes: [(title: String, mode: PlaybackMode)] = [
    ("Forward", .forward), ("Reverse", .reverse), ("Bounce", .bounce),
  ]
  private static let margin = 12.0
  private static let rowHeight = 40.0

  let image = ImageView()
  private let play = AgainButton("Pause", scriptTitle: "Play or pause")
  private let scrubber = Scrubber()
  private let rate: SegmentedControl
  private let mode: SegmentedControl
  private let caption = Label("", font: Theme.caption, color: Theme.secondaryText)

  init() {
    rate = SegmentedControl(["½ ×", "1 ×", "2 ×", "4 ×"]) { _ in }
    mode = SegmentedControl(Self.modes.map(\.title)) { _ in }
    super.init()
    applyCardStyle()
    image.contentMode = .fit
    image.cornerRadius = 6
    image.backgroundColor = Theme.tile
    image.accessibilityLabel = "Animation"
    rate.selection = 1
    rate.onChange = { [unowned self] in self.image.playbackRate = Self.rates[$0] }
    mode.onChange = { [unowned self] in self.image.playbackMode = Self.modes[$0].mode }
    play.addAction(for: .touchUpInside) { [unowned self] _ in self.togglePlaying() }
    scrubber.onSeek = { [unowned self] in self.seek(to: $0) }
    for view in [image, play, scrubber, rate, mode, caption] as [View] { addSubview(view) }
  }

  /// Follows the player of a new image.
  func imageDidChange() {
    guard let player = image.animationPlayer else { return }
    player.playbackRate = Self.rates[rate.selection]
    player.playbackMode = Self.modes[mode.selection].mode
    player.frameHandler = { [weak self] _ in self?.showFrame() }
    scrubber.count = player.image.frameCount
    showFrame()
  }

  private func showFrame() {
    guard let player = image.animationPlayer else { return }
    scrubber.position = player.frameIndex
    caption.text = "Frame \(player.frameIndex + 1) of \(player.image.frameCount)"
    play.setTitle(player.isPlaying ? "Pause" : "Play", for: .normal)
  }

  private func togglePlaying() {
    if image.isPlaying { image.pause() } else { image.play() }
    showFrame()
  }

  private func seek(to frame: Int) {
    image.pause()
    image.seek(toFrame: frame)
    showFrame()
  }

  /// True if the speeds and the orders fit beside each other with their whole titles.
  private func fitInOneRow(_ width: Double) -> Bool {
    let needed = rate.sizeThatFits(.zero).width + mode.sizeThatFits(.zero).width
    return needed + 3 * Self.margin <= width
  }

  /// Returns the height for a width: narrow controls have the order of the frames in a row of its own.
  func height(forWidth width: Double) -> Double {
    fitInOneRow(width) ? 300 : 300 + Self.rowHeight + 10
  }

  override func layoutSubviews() {
    let margin = Self.margin
    let width = bounds.width - 2 * margin
    image.frame = Rect(x: margin, y: margin, width: width, height: 180)
    let top = image.frame.maxY + 10
    play.frame = Rect(x: margin, y: top, width: AgainButton.width, height: 34)
    let left = play.frame.maxX + margin
    scrubber.frame = Rect(x: left, y: top, width: max(0, width - left - 110), height: 34)
    caption.frame = Rect(x: bounds.width - margin - 110, y: top, width: 110, height: 34)
    let isOneRow = fitInOneRow(bounds.width)
    rate.frame = Rect(
      x: margin, y: top + 44, width: min(rate.sizeThatFits(.zero).width, width), height: Self.rowHeight)
    mode.frame = Rect(
      x: isOneRow ? rate.frame.maxX + margin : margin,
      y: isOneRow ? rate.frame.minY : rate.frame.maxY + 10,
      width: min(mode.sizeThatFits(.zero).width, width), height: Self.rowHeight)
  }
}

/// A bar with a position, which follows a finger.
final class Scrubber: Control, ScriptNamed {
  let scriptTitle = "Frames"
  /// The number of positions.
  var count = 1 { didSet { if count != oldValue { setNeedsDisplay() } } }
  var position = 0 { didSet { if position != oldValue { setNeedsDisplay() } } }
  /// Called with the position that the user chooses.
  var onSeek: ((Int) -> Void)?

  override init(frame: Rect = .zero) {
    super.init(frame: frame)
    accessibilityLabel = scriptTitle
    yieldsTouchesToScrolling = false
  }

  var scriptStates: Set<ScriptState> { ScriptState.states(of: self) }

  private var fraction: Double { count > 1 ? Double(min(position, count - 1)) / Double(count - 1) : 0 }

  override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    let bar = Rect(x: 0, y: bounds.height / 2 - 3, width: bounds.width, height: 6)
    list.fill(bar, color: Theme.line, cornerRadius: 3)
    let end = bounds.width * fraction
    list.fill(Rect(x: 0, y: bar.minY, width: end, height: 6), color: Theme.accent, cornerRadius: 3)
    let knob = Rect(
      x: min(max(0, end - 8), max(0, bounds.width - 16)), y: bounds.height / 2 - 8, width: 16, height: 16)
    list.fill(knob, color: isHighlighted || isFocused ? Theme.text : Theme.accent, cornerRadius: 8)
  }

  override func touchBegan(_ touch: Touch) {
    super.touchBegan(touch)
    seek(touch)
  }

  override func touchMoved(_ touch: Touch) {
    super.touchMoved(touch)
    seek(touch)
  }

  override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    switch key {
    case .left, .right:
      let step = key == .left ? -1 : 1
      let new = min(max(0, position + step), count - 1)
      onSeek?(new)
      return true
    default: return super.keyDown(key, modifiers: modifiers)
    }
  }

  private func seek(_ touch: Touch) {
    let x = touch.location(in: self).x
    let part = min(1, max(0, x / max(1, bounds.width)))
    onSeek?(Int((part * Double(count - 1)).rounded()))
  }
}
