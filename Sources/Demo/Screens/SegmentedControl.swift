import Vitrine

/// A row of buttons of which one is selected.
final class SegmentedControl: View {
  /// The index of the selected button.
  var selection = 0 {
    didSet { for (index, button) in buttons.enumerated() { button.isSelected = index == selection } }
  }

  /// Called with the index of the button that the user has selected.
  var onChange: (Int) -> Void
  private let buttons: [Button]

  init(_ titles: [String], onChange: @escaping (Int) -> Void) {
    self.onChange = onChange
    buttons = titles.map { PillButton(title: $0) }
    super.init()
    backgroundColor = Theme.tile
    cornerRadius = 8
    for (index, button) in buttons.enumerated() {
      button.addAction(for: .touchUpInside) { [weak self] _ in
        guard let self, self.selection != index else { return }
        self.selection = index
        self.onChange(index)
      }
      addSubview(button)
    }
    buttons.first?.isSelected = true
  }

  override func sizeThatFits(_ size: Size) -> Size {
    Size(width: buttons.map { $0.sizeThatFits(size).width }.reduce(0, +) + 8, height: 40)
  }

  override func layoutSubviews() {
    // If the buttons do not fit, all are scaled by the same factor.
    let factor = min(1, max(0, bounds.width - 8) / max(1, sizeThatFits(bounds.size).width - 8))
    var x = 4.0
    for button in buttons {
      let width = button.sizeThatFits(bounds.size).width * factor
      button.frame = Rect(x: x, y: 4, width: width, height: bounds.height - 8)
      x += width
    }
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
    let fitting = super.sizeThatFits(size)
    return Size(width: (fitting.width + 20).rounded(.up), height: 32)
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
