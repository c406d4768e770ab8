import Vitrine

/// A card with a row for each button state and a column for each kind of button, to compare states that are otherwise
/// visible only during a press. The buttons remain usable.
final class StateCatalogue: View {
  /// A kind of button: appearance and images.
  struct Kind {
    let name: String
    let prepare: (DemoButton) -> Void
    let load: (DemoButton, ImageRequest.CachePolicy) -> Void
  }

  private struct Row {
    let name: Label
    let buttons: [SpecimenButton]
  }

  private static let states: [(name: String, state: ControlState)] = [
    ("Normal", .normal), ("Highlighted", .highlighted), ("Selected", .selected), ("Disabled", .disabled),
    ("Focused", .focused), ("Selected, highlighted", [.selected, .highlighted]),
    ("Selected, disabled", [.selected, .disabled]), ("Selected, focused", [.selected, .focused]),
    ("Highlighted, focused", [.highlighted, .focused]),
  ]

  private let kinds: [Kind]
  private let heading = Label("Every state", font: Theme.title, color: Theme.text)
  private let hint = Label(
    "One row per state. The first row changes state when used; the others keep theirs, and can be pressed as well.",
    font: Theme.body, color: Theme.secondaryText)
  private let again = AgainButton("Again", scriptTitle: "Every state again")
  private let captions: [Label]
  private let rows: [Row]

  init(_ kinds: [Kind]) {
    self.kinds = kinds
    captions = kinds.map { Label($0.name, font: Theme.caption, color: Theme.secondaryText) }
    rows = Self.states.map { name, state in
      Row(
        name: Label(name, font: Theme.body, color: Theme.text),
        buttons: kinds.map { kind in
          let button = SpecimenButton("\(kind.name): \(name)", state: state)
          kind.prepare(button)
          return button
        })
    }
    super.init()
    applyCardStyle()
    hint.numberOfLines = 2
    for caption in captions { caption.alignment = .center }
    again.addAction(for: .touchUpInside) { [unowned self] _ in self.load(.reload) }
    for view in [heading, hint, again] + captions { addSubview(view) }
    for row in rows {
      addSubview(row.name)
      row.buttons.forEach(addSubview)
    }
  }

  func load(_ policy: ImageRequest.CachePolicy = .useCache) {
    for row in rows {
      for (kind, button) in zip(kinds, row.buttons) { kind.load(button, policy) }
    }
  }

  // MARK: Layout

  private static let againHeight = 48.0
  private static let top = 96.0
  private static let captionHeight = 28.0
  private static let buttonHeight = 56.0
  private static let rowGap = 16.0

  /// Returns true for a narrow window, in which the name of a state is above the row of buttons instead of at the left.
  private func isNarrow(_ width: Double) -> Bool { width < 640 }
  /// Returns the margin, which is narrow in a small window, so that the buttons stay wide enough for fingers.
  private func inset(_ width: Double) -> Double { width < 320 ? 8 : 24 }
  private func rowHeight(_ width: Double) -> Double { Self.buttonHeight + (isNarrow(width) ? 24 : 0) }

  override func sizeThatFits(_ size: Size) -> Size {
    let rows = Double(rows.count) * (rowHeight(size.width) + Self.rowGap)
    return Size(width: size.width, height: Self.top + Self.captionHeight + rows - Self.rowGap + 24)
  }

  override func layoutSubviews() {
    let inset = inset(bounds.width)
    let againWidth = again.sizeThatFits(bounds.size).width
    again.frame = Rect(
      x: bounds.width - inset - againWidth, y: 24, width: againWidth, height: Self.againHeight)
    let availableWidth = again.frame.minX - 2 * inset
    heading.frame = Rect(x: inset, y: 20, width: availableWidth, height: 24)
    let height = hint.sizeThatFits(Size(width: availableWidth, height: 40)).height
    hint.frame = Rect(x: inset, y: 48, width: availableWidth, height: min(40, height))

    let isNarrow = isNarrow(bounds.width)
    let left = inset + (isNarrow ? 0 : 168)
    let gap = isNarrow ? bounds.width < 320 ? 4.0 : 8 : 16
    let count = Double(kinds.count)
    let width = max(
      0, min(240, ((bounds.width - inset - left - gap * (count - 1)) / count).rounded(.down)))
    func x(_ column: Int) -> Double { left + Double(column) * (width + gap) }

    for (column, caption) in captions.enumerated() {
      caption.frame = Rect(x: x(column), y: Self.top, width: width, height: 20)
    }
    var y = Self.top + Self.captionHeight
    for row in rows {
      row.name.frame =
        isNarrow
        ? Rect(x: left, y: y, width: bounds.width - 2 * inset, height: 20)
        : Rect(x: inset, y: y, width: 160, height: Self.buttonHeight)
      for (column, button) in row.buttons.enumerated() {
        button.frame = Rect(x: x(column), y: y + (isNarrow ? 24 : 0), width: width, height: Self.buttonHeight)
      }
      y += rowHeight(bounds.width) + Self.rowGap
    }
  }
}

/// A button that always has a given state, in addition to the states caused by input.
final class SpecimenButton: DemoButton {
  private let fixedState: ControlState

  init(_ name: String, state: ControlState) {
    fixedState = state
    super.init(name)
    imageIdentifier = "catalogue"
    isEnabled = !state.contains(.disabled)
    isSelected = state.contains(.selected)
    changesSelectionAsPrimaryAction = state == .normal
    stateDidChange()
  }

  override var state: ControlState { super.state.union(fixedState) }
}
