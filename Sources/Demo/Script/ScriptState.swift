import Vitrine

/// What `expect "TITLE" state NAME` can ask of a row or a button.
nonisolated enum ScriptState: String, CaseIterable {
  case normal, highlighted, selected, disabled, focused
  /// A picture is on its way, is there, or could not be loaded.
  case loading, loaded, failed
}

/// A view that scripts find by its title.
protocol ScriptNamed: View {
  var scriptTitle: String { get }
  var scriptStates: Set<ScriptState> { get }
}

extension Window {
  /// The view of a title: the first in the order of the tree that is seen, or else the first; titles come again
  /// in a long feed.
  func named(_ title: String) -> (any ScriptNamed)? {
    named(title, below: self, seen: bounds) ?? named(title, below: self, seen: nil)
  }

  /// - Parameter seen: what the window and the clips around leave; nil for everywhere.
  private func named(_ title: String, below view: View, seen: Rect?) -> (any ScriptNamed)? {
    guard !view.isHidden else { return nil }
    let own = seen.map { view.frameInWindow.intersection($0) }
    if own?.isEmpty != true, let named = view as? any ScriptNamed, named.scriptTitle == title { return named }
    let inner = view.clipsToBounds ? own : seen
    for child in view.subviews {
      if let found = named(title, below: child, seen: inner) { return found }
    }
    return nil
  }
}
