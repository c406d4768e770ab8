public import VitrineGraphics

/// A view that shows a row of a `ListView`. The list creates about a screenful of cells and reuses them for other rows.
///
/// ```swift
/// final class TitleCell: ListCell {
///   let title = Label()
///
///   required init(frame: Rect = .zero) {
///     super.init(frame: frame)
///     addSubview(title)
///   }
///
///   override func layoutSubviews() { title.frame = bounds.inset(by: 8) }
/// }
/// ```
open class ListCell: View {
  /// The row that the cell shows; `nil` while the cell is not in use.
  public internal(set) var row: Int?
  /// True if the cell's row is the selected row. Set by the list.
  public internal(set) var isSelected = false { didSet { if isSelected != oldValue { stateDidChange() } } }
  /// True while a finger presses the cell. Set by the list.
  public internal(set) var isHighlighted = false {
    didSet { if isHighlighted != oldValue { stateDidChange() } }
  }
  /// The color drawn under the subviews while highlighted; `nil` draws nothing. White at 12 % by default.
  public var highlightColor: Color? = Color.white.multiplyingAlpha(by: 0.12)
  /// The color drawn under the subviews while selected; `nil` draws nothing. White at 8 % by default.
  public var selectionColor: Color? = Color.white.multiplyingAlpha(by: 0.08)

  weak var list: ListView?
  var reuseKey: ReuseKey?
  private var trackedTouch: Touch?

  /// Creates a cell. Subclasses override this initializer to add subviews.
  public required override init(frame: Rect = .zero) { super.init(frame: frame) }

  /// Called before the cell is reused for another row. Overrides reset everything that the data source does not always
  /// set, and call super.
  open func prepareForReuse() {}

  /// Called after the row has left the vicinity of the screen and before the cell can be reused: the place to cancel
  /// loads for the row. Overrides call super.
  open func didEndDisplaying() {}

  /// Called when `isSelected` or `isHighlighted` has changed. Redraws the cell; overrides call super.
  open func stateDidChange() { setNeedsDisplay() }

  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    let color = isHighlighted ? highlightColor : isSelected ? selectionColor : nil
    if let color { list.fill(bounds, color: color, cornerRadius: cornerRadius) }
  }

  /// Draws the focus outline around the row that keys act on. Overrides call super.
  open override func drawOverlay(into list: inout DrawList) {
    super.drawOverlay(into: &list)
    guard hasCursor else { return }
    FocusRing(color: FocusRing.standardColor, scale: window?.scale ?? 1)
      .draw(in: bounds, cornerRadius: cornerRadius, into: &list)
  }

  /// True if keys act on the cell's row: the row is selected and the list has the focus.
  public var hasCursor: Bool { isSelected && list?.isFocused == true }

  // MARK: Accessibility

  /// The role `.row`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.row) }
    set { super.accessibilityRole = newValue }
  }
  /// The label that was set, or else the accessible names of the cell's content, separated by commas.
  open override var accessibilityLabel: String? {
    get {
      if let label = super.accessibilityLabel { return label }
      let names = subviews.flatMap(\.accessibilityNodes).compactMap(\.label)
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    set { super.accessibilityLabel = newValue }
  }
  /// The states of super, and `highlighted`, `selected`, and `focused` if keys act on the row.
  open override var accessibilityStates: AccessibilityStates {
    var states = super.accessibilityStates
    if isHighlighted { states.insert(.highlighted) }
    if isSelected { states.insert(.selected) }
    if hasCursor { states.insert(.focused) }
    return states
  }

  // MARK: Touches

  /// Highlights the cell. Overrides call super.
  open override func touchBegan(_ touch: Touch) {
    guard trackedTouch == nil else { return }
    trackedTouch = touch
    isHighlighted = true
  }

  /// Highlights the cell while the touch is inside the bounds. Overrides call super.
  open override func touchMoved(_ touch: Touch) {
    if touch === trackedTouch { isHighlighted = bounds.contains(touch.location(in: self)) }
  }

  /// Selects the row if the touch ends inside the bounds. Overrides call super.
  open override func touchEnded(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    let isInside = bounds.contains(touch.location(in: self))
    endTracking()
    if isInside, let row { list?.choose(row) }
  }

  /// Ends the highlight. Overrides call super.
  open override func touchCancelled(_ touch: Touch) { if touch === trackedTouch { endTracking() } }

  func endTracking() {
    trackedTouch = nil
    isHighlighted = false
  }
}

/// The key by which cells are reused: cells with equal keys are interchangeable.
struct ReuseKey: Hashable {
  let type: ObjectIdentifier
  let identifier: String?
}
