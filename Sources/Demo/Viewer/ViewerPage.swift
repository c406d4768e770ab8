import Vitrine

/// One image of the viewer, which can be enlarged. Scripts find the page by the title of its image.
final class ViewerPage: ZoomView {
  private var title = ""
  private var outcome = ScriptState.loading

  var isEnlarged: Bool { zoomScale > 1.01 }

  func show(_ item: Feed.Item) {
    title = item.title
    accessibilityLabel = item.title
    outcome = .loading
    setImage(from: item.url) { [weak self] result in
      switch result {
      case .success: self?.outcome = .loaded
      case .failure(.cancelled): break
      case .failure: self?.outcome = .failed
      }
    }
  }
}

extension ViewerPage: ScriptNamed {
  var scriptTitle: String { "Viewer: \(title)" }
  var scriptStates: Set<ScriptState> { isEnlarged ? [outcome, .selected] : [outcome, .normal] }
}
