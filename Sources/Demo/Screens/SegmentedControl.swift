import Vitrine

/// A row of buttons of which one is selected.
///
/// A control that is narrower than its buttons scrolls, so that the selected button is in the middle. Near the ends of the
/// row, the control scrolls only to the end.
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
