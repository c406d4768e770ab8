import Vitrine

/// A row of buttons of which one is selected.
///
/// A control that is narrower than its buttons scrolls, so that the selected button is in the middle. Near the ends of
/// the row, the control scrolls only to the end. Titles fade out at an edge beyond which there are more buttons.
final class SegmentedControl: View {
  /// The index of the selected button.
  var selection = 0 {
    didSet {
      for (index, button) in buttons.enumerated() { button.isSelected = index == selection }
      if selection != oldValue { showSelection(animated: true) }
    }
  }

  /// Called with the index of the button that the user has selected.
  var onChange: (Int) -> Void
  private let buttons: [Button]
  private let row = SidewaysScrollView()
  private static let height = 40.0
  /// The distance of the buttons from the edges in points.
  private static let padding = 4.0
  /// The width in points over which titles fade out: little more than the padding of a title, so that a whole title at
  /// the edge stays legible.
  private static let fadeWidth = 16.0
  /// One row of pixels in the color of the background, opaque at the left. Stretched where it is drawn.
  private static let leftFade = Image(width: 32, height: 1) { x, _ in fadeColor(1 - (Double(x) + 0.5) / 32) }
  private static let rightFade = Image(width: 32, height: 1) { x, _ in fadeColor((Double(x) + 0.5) / 32) }

  /// - Parameter fraction: The opacity, before it is smoothed so that no edge is visible.
  private static func fadeColor(_ fraction: Double) -> Color {
    Theme.tile.multiplyingAlpha(by: fraction * fraction * (3 - 2 * fraction))
  }

  init(_ titles: [String], onChange: @escaping (Int) -> Void) {
    self.onChange = onChange
    buttons = titles.map { PillButton(title: $0) }
    super.init()
    backgroundColor = Theme.tile
    cornerRadius = 8
    // Without a name, the row is not in the accessibility tree.
    row.accessibilityRole = .group
    for (index, button) in buttons.enumerated() {
      button.addAction(for: .touchUpInside) { [weak self] _ in
        guard let self, self.selection != index else { return }
        self.selection = index
        self.onChange(index)
      }
      row.addSubview(button)
    }
    addSubview(row)
    buttons.first?.isSelected = true
  }

  private var widths: [Double] { buttons.map { $0.sizeThatFits(.zero).width } }

  /// Returns the size at which all titles are visible.
  override func sizeThatFits(_ size: Size) -> Size {
    Size(width: widths.reduce(2 * Self.padding, +), height: Self.height)
  }

  override func layoutSubviews() {
    let frame = bounds.inset(by: Self.padding)
    var x = 0.0
    for (button, width) in zip(buttons, widths) {
      button.frame = Rect(x: x, y: 0, width: width, height: frame.height)
      x += width
    }
    let content = Size(width: x, height: frame.height)
    guard row.frame != frame || row.contentSize != content else { return }
    row.frame = frame
    row.contentSize = content
    showSelection(animated: false)
  }

  /// Draws the fades over the titles.
  override func drawOverlay(into list: inout DrawList) {
    super.drawOverlay(into: &list)
    let (frame, range, x) = (row.frame, row.horizontalRange, row.contentOffset.x)
    let width = min(Self.fadeWidth, frame.width / 2)
    guard width > 0 else { return }
    if x > range.lowerBound + 0.5 {
      let left = Rect(x: frame.minX, y: frame.minY, width: width, height: frame.height)
      list.draw(DrawList.ImageCommand(image: Self.leftFade, destination: left))
    }
    if x < range.upperBound - 0.5 {
      let right = Rect(x: frame.maxX - width, y: frame.minY, width: width, height: frame.height)
      list.draw(DrawList.ImageCommand(image: Self.rightFade, destination: right))
    }
  }

  private func showSelection(animated: Bool) {
    guard buttons.indices.contains(selection) else { return }
    let middle = buttons[selection].frame.midX
    row.setContentOffset(Point(x: middle - row.bounds.width / 2, y: 0), animated: animated)
  }
}

/// A button with a title on a rounded background that shows the state.
final class PillButton: Button {
  init(title: String) {
    super.init()
    setTitle(title, for: .normal)
    setTitleColor(Theme.secondaryText, for: .normal)
    setTitleColor(Theme.text, for: .highlighted)
    setTitleColor(Theme.text, for: .selected)
    setTitleColor(Theme.text, for: [.selected, .highlighted])
    titleFont = .bold(13)
    cornerRadius = 6
    stateDidChange()
  }

  override func stateDidChange() {
    super.stateDidChange()
    backgroundColor = isSelected ? Theme.accentFill : isHighlighted ? Theme.line : nil
  }

  override func sizeThatFits(_ size: Size) -> Size {
    Size(width: super.sizeThatFits(size).width, height: 32)
  }
}

extension PillButton: ScriptNamed {
  var scriptTitle: String { title(for: .normal) ?? "" }
  var scriptStates: Set<ScriptState> { ScriptState.states(of: self) }
}

extension ScriptState {
  /// Returns the states of a control; `normal` if there are no others.
  static func states(of control: Control) -> Set<ScriptState> {
    var states: Set<ScriptState> = []
    if control.state.contains(.highlighted) { states.insert(.highlighted) }
    if control.state.contains(.selected) { states.insert(.selected) }
    if control.state.contains(.disabled) { states.insert(.disabled) }
    if control.state.contains(.focused) { states.insert(.focused) }
    return states.isEmpty ? [.normal] : states
  }
}
