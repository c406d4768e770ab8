import VitrineGraphics

/// How keys move the focus: Tab in the order of the tree, arrows by where views lie.
extension Window {
  /// Moves the focus to the next view that takes it, in the order of the tree, round the end, and scrolls it
  /// into view.
  public func moveFocus(forward: Bool) {
    let candidates = focusable(below: self, isTabbing: true).map(\.view)
    guard !candidates.isEmpty else { return }
    let current = candidates.firstIndex { $0 === focusedView }
    let count = candidates.count
    let next = current.map { ($0 + (forward ? 1 : count - 1)) % count } ?? (forward ? 0 : count - 1)
    give(candidates[next])
  }

  /// Moves the focus to the view that lies nearest in a direction, and scrolls it into view. Nothing lies beyond the
  /// edge: it does not begin again at the other side.
  ///
  /// What is in the innermost scroll view around the focus goes first, whether it can be seen or not; outside of it
  /// only what can be seen counts, also of other scroll views. A list or grid that takes the focus counts as one.
  ///
  /// - Returns: whether the focus has moved; false where there was none.
  @discardableResult
  public func moveFocus(_ direction: FocusDirection) -> Bool {
    guard let focusedView else { return false }
    for container in focusedView.containers where move(direction, within: container) { return true }
    return false
  }

  /// Hands an arrow key round: to the view with the focus and to those around it, and before a scroll view takes it,
  /// to what lies in that direction within. A scroll view that has come to its end leaves the key to what lies outside.
  func handleArrow(_ key: Key, _ direction: FocusDirection) -> Bool {
    guard let focused = focusedView else { return false }
    var view: View? = focused
    while let current = view {
      let isContainer = current !== focused && (current is ScrollView || current === self)
      if isContainer, move(direction, within: current) { return true }
      if current.keyDown(key, modifiers: []) { return true }
      view = current.superview
    }
    return false
  }

  /// Gives the focus to a view where nothing has it: the first one that can be seen, or else the first.
  func beginFocus() -> Bool {
    guard focusedView == nil else { return false }
    let candidates = focusable(below: self, isTabbing: true)
    guard let first = candidates.first(where: { !$0.seen.isEmpty }) ?? candidates.first else { return false }
    give(first.view)
    return true
  }

  private func give(_ view: View) {
    focus(view)
    view.scrollIntoView(animated: true)
  }

  private func move(_ direction: FocusDirection, within container: View) -> Bool {
    guard let focusedView else { return false }
    let origin = focusedView.frameInWindow
    let scrolls = container is ScrollView
    let candidates = focusable(below: container, isTabbing: false).compactMap { candidate in
      let place = scrolls && candidate.isDirect ? candidate.place : candidate.seen
      return candidate.view === focusedView || place.isEmpty ? nil : (view: candidate.view, place: place)
    }
    let geometry = FocusGeometry(direction: direction)
    guard let index = geometry.nearest(to: origin, among: candidates.map(\.place)) else { return false }
    // What lies further than a screenful is scrolled to, so that what lies between is seen.
    if scrolls, !container.frameInWindow.isWithinReach(of: candidates[index].place, direction) {
      return false
    }
    give(candidates[index].view)
    return true
  }

  private struct Focusable {
    let view: View
    /// All of it, in the window.
    let place: Rect
    /// What clips around it leave of that.
    let seen: Rect
    /// Whether no other scroll view lies between it and where it was looked for.
    let isDirect: Bool
  }

  /// The views that take the focus, in the order of the tree.
  ///
  /// - Parameter isTabbing: whether what lies in lists that take the focus themselves counts too: arrows move the
  ///   cursor of such a list.
  private func focusable(below top: View, isTabbing: Bool) -> [Focusable] {
    var found: [Focusable] = []
    func collect(_ view: View, seen: Rect, isDirect: Bool) {
      guard !view.isHidden, view.alpha >= 0.01, view.isUserInteractionEnabled else { return }
      let place = view.frameInWindow
      let own = place.intersection(seen)
      if view !== top, view.canBecomeFocused {
        found.append(Focusable(view: view, place: place, seen: own, isDirect: isDirect))
        if !isTabbing, view is ListView { return }
      }
      let inner = view.clipsToBounds ? own : seen
      let isInnerDirect = isDirect && (view === top || !(view is ScrollView))
      for child in view.subviews { collect(child, seen: inner, isDirect: isInnerDirect) }
    }
    collect(top, seen: bounds, isDirect: true)
    return found
  }
}

extension View {
  /// The scroll views around it, innermost first, and the window.
  fileprivate var containers: [View] {
    sequence(first: self, next: \.superview).dropFirst().filter { $0 is ScrollView || $0 is Window }
  }
}

extension Rect {
  /// Whether something lies at most a length of the rectangle beyond its end in a direction.
  fileprivate func isWithinReach(of place: Rect, _ direction: FocusDirection) -> Bool {
    switch direction {
    case .up: place.maxY >= minY - height
    case .down: place.minY <= maxY + height
    case .left: place.maxX >= minX - width
    case .right: place.minX <= maxX + width
    }
  }
}
