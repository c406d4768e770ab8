public import VitrineGraphics

/// A row of a `ListView`. The list makes a screenful of them and uses them again for other rows.
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
  /// The row that it shows; nil while it shows none.
  public internal(set) var row: Int?
  /// Whether its row is the selected one. Set by the list.
  public internal(set) var isSelected = false { didSet { if isSelected != oldValue { stateDidChange() } } }
  /// Whether a finger is on it that may still mean it. Set by the list.
  public internal(set) var isHighlighted = false {
    didSet { if isHighlighted != oldValue { stateDidChange() } }
  }
  /// Drawn under the subviews while highlighted; nil draws nothing. White at 12 % by default.
  public var highlightColor: Color? = Color.white.multiplyingAlpha(by: 0.12)
  /// Drawn under the subviews while selected; nil draws nothing. White at 8 % by default.
  public var selectionColor: Color? = Color.white.multiplyingAlpha(by: 0.08)

  weak var list: ListView?
  var reuseKey: ReuseKey?
  private var trackedTouch: Touch?

  /// Subclasses override this one to add their subviews.
  public required override init(frame: Rect = .zero) { super.init(frame: frame) }

  /// Called before the cell is used for another row. Overriders reset what the data source does not set each
  /// time, and call super.
  open func prepareForReuse() {}

  /// Called when the row has left the screen and before the cell may be used again: the place to cancel what
  /// is being loaded for it. Overriders call super.
  open func didEndDisplaying() {}

  /// Called when `isSelected` or `isHighlighted` has changed; draws again. Overriders call super.
  open func stateDidChange() { setNeedsDisplay() }

  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    let color = isHighlighted ? highlightColor : isSelected ? selectionColor : nil
    if let color { list.fill(bounds, color: color, cornerRadius: cornerRadius) }
  }

  /// A line round the selected row of a list that has the focus, which is the one that keys act on. Overriders
  /// call super.
  open override func drawOverlay(into list: inout DrawList) {
    super.drawOverlay(into: &list)
    guard hasCursor else { return }
    FocusRing(color: FocusRing.standardColor, scale: window?.scale ?? 1)
      .draw(in: bounds, cornerRadius: cornerRadius, into: &list)
  }

  /// Whether keys act on its row: it is the selected one, and the list has the focus.
  public var hasCursor: Bool { isSelected && list?.isFocused == true }

  // MARK: Accessibility

  /// `row`.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.row) }
    set { super.accessibilityRole = newValue }
  }
  /// The names of what it holds, with commas between.
  open override var accessibilityLabel: String? {
    get {
      if let label = super.accessibilityLabel { return label }
      let names = subviews.flatMap(\.accessibilityNodes).compactMap(\.label)
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    set { super.accessibilityLabel = newValue }
  }
  /// Highlighted and selected, and focused where keys act on it.
  open override var accessibilityStates: AccessibilityStates {
    var states = super.accessibilityStates
    if isHighlighted { states.insert(.highlighted) }
    if isSelected { states.insert(.selected) }
    if hasCursor { states.insert(.focused) }
    return states
  }

  // MARK: Touches

  /// Overriders call super.
  open override func touchBegan(_ touch: Touch) {
    guard trackedTouch == nil else { return }
    trackedTouch = touch
    isHighlighted = true
  }

  /// Overriders call super.
  open override func touchMoved(_ touch: Touch) {
    if touch === trackedTouch { isHighlighted = bounds.contains(touch.location(in: self)) }
  }

  /// Overriders call super.
  open override func touchEnded(_ touch: Touch) {
    guard touch === trackedTouch else { return }
    let isMeant = bounds.contains(touch.location(in: self))
    endTracking()
    if isMeant, let row { list?.choose(row) }
  }

  /// Overriders call super.
  open override func touchCancelled(_ touch: Touch) {
    if touch === trackedTouch { endTracking() }
  }

  func endTracking() {
    trackedTouch = nil
    isHighlighted = false
  }
}

/// Cells with the same key may stand for each other's rows.
struct ReuseKey: Hashable {
  let type: ObjectIdentifier
  let identifier: String?
}
