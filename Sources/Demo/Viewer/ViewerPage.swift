import Vitrine

/// One image of the viewer, which can be enlarged, or the reason why it cannot be loaded. Scripts find the page by the
/// title of its image.
final class ViewerPage: ZoomView {
  /// Called when another image is shown, or none.
  var onImageChange: () -> Void = {}

  private var title = ""
  private var outcome = ScriptState.loading
  private let failureView: ViewerFailure

  var isEnlarged: Bool { zoomScale > 1.01 }

  /// - Parameter failure: The image of a page whose image cannot be loaded.
  init(failure: Image?) {
    failureView = ViewerFailure(failure)
    super.init()
    failureView.isHidden = true
    addSubview(failureView)
  }

  func show(_ item: Feed.Item) {
    title = item.title
    accessibilityLabel = item.title
    outcome = .loading
    failureView.isHidden = true
    setImage(from: item.url) { [weak self] result in
      switch result {
      case .success: self?.outcome = .loaded
      case .failure(.cancelled): break
      case .failure(let error): self?.fail(StaleReason(error, of: item.url))
      }
    }
  }

  private func fail(_ reason: StaleReason) {
    outcome = .failed
    failureView.show(reason)
    // A smaller variant that is shown says more than its failure.
    failureView.isHidden = contents != nil
  }

  /// Removes the failure: the slot loads a failed image again, without a further completion.
  override func setContents(_ image: Image?, transition: Transition) {
    super.setContents(image, transition: transition)
    onImageChange()
    guard image != nil, outcome == .failed else { return }
    outcome = .loaded
    failureView.isHidden = true
  }

  override func layoutSubviews() {
    super.layoutSubviews()
    failureView.frame = bounds
  }
}

extension ViewerPage: ScriptNamed {
  var scriptTitle: String { "Viewer: \(title)" }
  var scriptStates: Set<ScriptState> { isEnlarged ? [outcome, .selected] : [outcome, .normal] }
}
