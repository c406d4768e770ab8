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

extension View {
  /// The frontmost view of a title in the tree that can be seen.
  func named(_ title: String) -> (any ScriptNamed)? {
    guard !isHidden else { return nil }
    if let named = self as? any ScriptNamed, named.scriptTitle == title { return named }
    for child in subviews.reversed() {
      if let found = child.named(title) { return found }
    }
    return nil
  }
}
