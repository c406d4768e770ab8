import Vitrine

/// What `expect "TITLE" state NAME` can ask of a row or a button.
nonisolated enum ScriptState: String, CaseIterable {
  case normal, highlighted, selected, disabled, focused
  /// A picture is on its way, is there, or could not be loaded.
  case loading, loaded, failed
  /// A picture is turning into another.
  case changing
}

/// A view that scripts find by its title.
protocol ScriptNamed: View {
  var scriptTitle: String { get }
  var scriptStates: Set<ScriptState> { get }
}

extension Window {
  /// The view of a title: the first in the order of the tree that is seen, or else the first; titles come again
  /// in a long feed. Where nobody goes by it, the first view that is called so.
  func named(_ title: String) -> View? {
    func goesByIt(_ view: View) -> Bool { (view as? any ScriptNamed)?.scriptTitle == title }
    func isCalledSo(_ view: View) -> Bool { view.accessibilityLabel == title }
    return first(where: goesByIt, below: self, seen: bounds) ?? first(where: goesByIt, below: self, seen: nil)
      ?? first(where: isCalledSo, below: self, seen: bounds)
      ?? first(where: isCalledSo, below: self, seen: nil)
  }

  /// - Parameter seen: what the window and the clips around leave; nil for everywhere.
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
