import Vitrine

/// The place of an input: a point, or the middle of the visible part of a view with a title.
nonisolated enum ScriptPlace: Equatable {
  case point(Point)
  case view(String)

  /// Returns the point in a window; `nil` if the view is not on the screen.
  @MainActor func point(in window: Window) -> Point? {
    switch self {
    case .point(let point): return point
    case .view(let title):
      guard let view = window.named(title) else { return nil }
      var visible = view.frameInWindow.intersection(window.bounds)
      for superview in sequence(first: view, next: \.superview) where superview.clipsToBounds {
        visible = visible.intersection(superview.frameInWindow)
      }
      return visible.isEmpty ? nil : visible.center
    }
  }
}
