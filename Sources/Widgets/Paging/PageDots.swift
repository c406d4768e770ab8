public import VitrineGraphics

/// A row of dots, one per page, of which the current one is emphasized.
///
/// A tap on the left half goes back a page, a tap on the right half goes forward; so do Left and Right while the dots have
/// the focus. Each change by the user sends `valueChanged`. Of many pages, as many dots are shown as fit the width.
///
/// ```swift
/// dots.numberOfPages = pages.numberOfPages
/// pages.onPageChange = { page in dots.currentPage = page }
/// dots.addAction(for: .valueChanged) { _ in pages.setCurrentPage(dots.currentPage, animated: true) }
/// ```
open class PageDots: Control {
  /// The height that `sizeThatFits(_:)` returns, large enough for a finger, in points.
  private static let fittingHeight = 24.0

  /// The number of pages, at least 0; 0 by default.
  public var numberOfPages = 0 {
    didSet {
      numberOfPages = max(0, numberOfPages)
      guard numberOfPages != oldValue else { return }
      currentPage = limited(currentPage)
      setNeedsDisplay()
    }
  }
  /// The page of the emphasized dot, limited to the pages that there are; 0 by default. Set it after `numberOfPages`.
  public var currentPage = 0 {
    didSet {
      currentPage = limited(currentPage)
      if currentPage != oldValue { setNeedsDisplay() }
    }
  }
  /// True if the first page follows the last one; false by default.
  public var loops = false
  /// True if no dot is drawn for a single page; false by default.
  public var hidesForSinglePage = false {
    didSet { if hidesForSinglePage != oldValue { setNeedsDisplay() } }
  }
  /// The color of the dots; white at 40 % by default.
  public var dotColor = Color.white.multiplyingAlpha(by: 0.4) {
    didSet { if dotColor != oldValue { setNeedsDisplay() } }
  }
  /// The color of the current page's dot; white by default.
  public var currentDotColor = Color.white {
    didSet { if currentDotColor != oldValue { setNeedsDisplay() } }
  }

  /// The number of pages that the press in progress moves: -1 or 1.
  private var step = 1

  private func limited(_ page: Int) -> Int { max(0, min(page, numberOfPages - 1)) }

  /// Returns the size of all dots, at most `size` wide.
  open override func sizeThatFits(_ size: Size) -> Size {
    Size(width: min(size.width, PageDotsLayout.width(of: numberOfPages)), height: Self.fittingHeight)
  }

  /// Draws the dots. Overrides call super.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    if hidesForSinglePage, numberOfPages <= 1 { return }
    for dot in PageDotsLayout(count: numberOfPages, current: currentPage, in: bounds).dots {
      let color = dot.page == currentPage ? currentDotColor : dotColor
      list.fill(dot.frame, color: color, cornerRadius: dot.frame.width / 2)
    }
  }

  // MARK: Changes by the user

  /// Determines the half of the dots on which the finger is lifted. Overrides call super.
  open override func endTracking(_ touch: Touch) {
    super.endTracking(touch)
    guard bounds.inset(by: -Self.trackingSlop).contains(touch.location(in: self)) else { return }
    step = touch.location(in: self).x < bounds.midX ? -1 : 1
  }

  override func applyPrimaryAction() -> ControlEvent {
    defer { step = 1 }
    let events = super.applyPrimaryAction()
    return move(by: step) ? events.union(.valueChanged) : events
  }

  /// Changes the current page. Returns false at an end.
  private func move(by step: Int) -> Bool {
    guard numberOfPages > 1 else { return false }
    let page = currentPage + step
    if !loops, page != limited(page) { return false }
    currentPage = (page + numberOfPages) % numberOfPages
    return true
  }

  /// Goes back and forward with Left and Right while the dots have the focus; at an end the key is passed on. Enter and
  /// Space go forward. Overrides call super.
  open override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    guard isEnabled, isFocused, modifiers.isEmpty, key == .left || key == .right else {
      return super.keyDown(key, modifiers: modifiers)
    }
    guard move(by: key == .left ? -1 : 1) else { return false }
    sendActions(for: .valueChanged)
    return true
  }

  /// True if the control is enabled and there are pages to choose from.
  open override var canBecomeFocused: Bool { super.canBecomeFocused && numberOfPages > 1 }

  /// The value that was set, or else the current page and the number of pages, for example `2 of 5`.
  open override var accessibilityValue: String? {
    get { super.accessibilityValue ?? (numberOfPages > 0 ? "\(currentPage + 1) of \(numberOfPages)" : nil) }
    set { super.accessibilityValue = newValue }
  }
}
