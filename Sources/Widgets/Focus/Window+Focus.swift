import VitrineGraphics

/// Keyboard focus: Tab moves the focus in the order of the tree, arrow keys move it by position.
extension Window {
  /// Moves the focus to the next or previous view that can be focused, in the order of the tree, and scrolls the view
  /// into sight. After the last view follows the first.
  public func moveFocus(forward: Bool) {
    let candidates = focusable(below: self, isTabbing: true).map(\.view)
    guard !candidates.isEmpty else { return }
    let current = candidates.firstIndex { $0 === focusedView }
    let count = candidates.count
    let next = current.map { ($0 + (forward ? 1 : count - 1)) % count } ?? (forward ? 0 : count - 1)
    focusAndReveal(candidates[next])
  }

  /// Moves the focus to the nearest view in a direction and scrolls the view into sight. Does not wrap around at the
  /// edge.
  ///
  /// Views in the innermost scroll view around the focus come first, whether visible or not. Outside of that scroll
  /// view only visible views count, also those in other scroll views. A list or grid that can be focused counts as a
  /// single view.
  ///
  /// - Returns: True if the focus has moved; false also if no view has the focus.
  @discardableResult
  public func moveFocus(_ direction: FocusDirection) -> Bool {
    guard let focusedView else { return false }
    for container in focusedView.containers where move(direction, within: container) { return true }
    return false
  }

  /// Offers an arrow key to the focused view and then to its superviews. Before a scroll view receives the key, the
  /// focus moves to a view within the scroll view in that direction. A scroll view at its end passes the key outwards.
  func handleArrow(_ key: Key, _ direction: FocusDirection) -> Bool {
    guard let focused = focusedView else { return false }
    var view: View? = focused
    while let current = view {
      let isContainer = current !== focused && current.isFocusContainer
      if isContainer, move(direction, within: current) { return true }
      if current.keyDown(key, modifiers: []) { return true }
      view = current.superview
    }
    return false
  }

  /// Gives the focus to the first visible view that can be focused, or else to the first, if no view has the focus.
  /// Returns true if a view received the focus.
  func beginFocus() -> Bool {
    guard focusedView == nil else { return false }
    let candidates = focusable(below: self, isTabbing: true)
    guard let first = candidates.first(where: { !$0.visibleFrame.isEmpty }) ?? candidates.first else {
      return false
    }
    focusAndReveal(first.view)
    return true
  }

  private func focusAndReveal(_ view: View) {
    focus(view)
    view.scrollIntoView(animated: true)
  }

  private func move(_ direction: FocusDirection, within container: View) -> Bool {
    guard let focusedView else { return false }
    let origin = focusedView.frameInWindow
    let scrolls = container is ScrollView
    let candidates = focusable(below: container, isTabbing: false).compactMap { candidate in
      let frame = scrolls && candidate.isDirect ? candidate.frame : candidate.visibleFrame
      return candidate.view === focusedView || frame.isEmpty ? nil : (view: candidate.view, frame: frame)
    }
    let geometry = FocusGeometry(direction: direction)
    guard let index = geometry.nearest(to: origin, among: candidates.map(\.frame)) else { return false }
    // A view further than a screenful away is not focused at once: the key scrolls, so that the content in between is
    // shown.
    if scrolls, !container.frameInWindow.isWithinReach(of: candidates[index].frame, direction) {
      return false
    }
    focusAndReveal(candidates[index].view)
    return true
  }

  private struct Focusable {
    let view: View
    /// The whole frame, in window coordinates.
    let frame: Rect
    /// The part of the frame that the superviews do not clip.
    let visibleFrame: Rect
    /// True if no other scroll view lies between the view and the root of the search.
    let isDirect: Bool
  }

  /// Returns the views that can be focused, in the order of the tree.
  ///
  /// - Parameter isTabbing: True to include views within lists that can be focused. Arrow keys skip them, because they
  ///   move the cursor of such a list.
  private func focusable(below top: View, isTabbing: Bool) -> [Focusable] {
    var found: [Focusable] = []
    func collect(_ view: View, visible: Rect, isDirect: Bool) {
      guard view.isDrawn, view.isUserInteractionEnabled else { return }
      let frame = view.frameInWindow
      let visibleFrame = frame.intersection(visible)
      if view !== top, view.canBecomeFocused {
        found.append(Focusable(view: view, frame: frame, visibleFrame: visibleFrame, isDirect: isDirect))
        if !isTabbing, view is ListView { return }
      }
      let inner = view.clipsToBounds ? visibleFrame : visible
      let isInnerDirect = isDirect && (view === top || !(view is ScrollView))
      for child in view.subviews { collect(child, visible: inner, isDirect: isInnerDirect) }
    }
    collect(top, visible: bounds, isDirect: true)
    return found
  }
}

extension View {
  /// The scroll views and page views around the view, innermost first, and the window.
  fileprivate var containers: [View] {
    sequence(first: self, next: \.superview).dropFirst().filter(\.isFocusContainer)
  }

  /// True if the focus stays in the view as long as there is another view in the direction of an arrow key.
  fileprivate var isFocusContainer: Bool { self is ScrollView || self is PageView || self is Window }
}

extension Rect {
  /// True if `rect` begins at most one length of this rectangle beyond the rectangle's edge in a direction.
  fileprivate func isWithinReach(of rect: Rect, _ direction: FocusDirection) -> Bool {
    switch direction {
    case .up: rect.maxY >= minY - height
    case .down: rect.minY <= maxY + height
    case .left: rect.maxX >= minX - width
    case .right: rect.minX <= maxX + width
    }
  }
}
