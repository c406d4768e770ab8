import Vitrine

/// The states that `expect "TITLE" state NAME` can check.
nonisolated enum ScriptState: String, CaseIterable {
  case normal, highlighted, selected, disabled, focused
  /// An image of the view is loading, has loaded, or could not be loaded.
  case loading, loaded, failed
  /// A transition between two images is running.
  case changing
}

/// A view that scripts find by a title.
protocol ScriptNamed: View {
  var scriptTitle: String { get }
  var scriptStates: Set<ScriptState> { get }
}

extension Window {
  /// Returns the view with a title: the first visible one in the order of the view tree, or else the first one, because
  /// titles repeat in a long feed. If no view has this script title, looks for an accessibility label in the same way.
  func named(_ title: String) -> View? {
    func goesByIt(_ view: View) -> Bool { (view as? any ScriptNamed)?.scriptTitle == title }
    func isCalledSo(_ view: View) -> Bool { view.accessibilityLabel == title }
    return first(where: goesByIt, below: self, seen: bounds) ?? first(where: goesByIt, below: self, seen: nil)
      ?? first(where: isCalledSo, below: self, seen: bounds)
      ?? first(where: isCalledSo, below: self, seen: nil)
  }

  /// Returns the first view below `view` that meets the condition.
  ///
  /// - Parameter seen: The visible area after clipping by the window and superviews; `nil` to include invisible views.
  private func first(where isMeant: (View) -> Bool, below view: View, seen: Rect?) -> View? {
    guard !view.isHidden else { return nil }
    let own = seen.map { view.frameInWindow.intersection($0) }
    if own?.isEmpty != true, isMeant(view) { return view }
    let inner = view.clipsToBounds ? own : seen
    for child in view.subviews {
      if let found = first(where: isMeant, below: child, seen: inner) { return found }
    }
    return nil
  }
}
