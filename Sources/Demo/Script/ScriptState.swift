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
    func hasScriptTitle(_ view: View) -> Bool { (view as? any ScriptNamed)?.scriptTitle == title }
    func hasAccessibilityLabel(_ view: View) -> Bool { view.accessibilityLabel == title }
    return first(where: hasScriptTitle, below: self, visibleArea: bounds)
      ?? first(where: hasScriptTitle, below: self, visibleArea: nil)
      ?? first(where: hasAccessibilityLabel, below: self, visibleArea: bounds)
      ?? first(where: hasAccessibilityLabel, below: self, visibleArea: nil)
  }

  /// Returns true if a view with a title is on the screen.
  func shows(_ title: String) -> Bool {
    func hasTitle(_ view: View) -> Bool {
      (view as? any ScriptNamed)?.scriptTitle == title || view.accessibilityLabel == title
    }
    return first(where: hasTitle, below: self, visibleArea: bounds) != nil
  }

  /// Returns the first view below `view` that meets the condition.
  ///
  /// - Parameter visibleArea: The visible area after clipping by the window and superviews; `nil` to include invisible
  ///   views.
  private func first(where matches: (View) -> Bool, below view: View, visibleArea: Rect?) -> View? {
    guard !view.isHidden else { return nil }
    let visibleFrame = visibleArea.map { view.frameInWindow.intersection($0) }
    if visibleFrame?.isEmpty != true, matches(view) { return view }
    let childArea = view.clipsToBounds ? visibleFrame : visibleArea
    for child in view.subviews {
      if let found = first(where: matches, below: child, visibleArea: childArea) { return found }
    }
    return nil
  }
}
