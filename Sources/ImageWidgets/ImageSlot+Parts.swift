import VitrineGraphics
import VitrineLoading
import VitrineWidgets

// Previews: the images that a progressive request shows until the final image is loaded.

extension ImageSlot {
  /// Shows a preview. During the transition to a preview, only the latest further preview is kept; it is shown at the
  /// end of the transition.
  func show(_ partial: Image, of load: SlotLoad) {
    let question = load.question
    guard isWaiting(for: load), question.options.setsImage, !question.hasPicture else { return }
    guard let part else {
      part = SlotPart(partial, insteadOf: shownImage, options: question.options)
      return showPart()
    }
    guard self.part?.append(partial) == true else { return }
    target.view?.afterTransition(to: part.image) { [weak self] in
      guard let self, self.part?.image === part.image, self.part?.advance() == true else { return }
      showPart()
    }
  }

  /// Shows the current preview with a cross-dissolve of 0.4 s, or at once if images from the network have no
  /// transition. The transition that the options name is for the final image only.
  private func showPart() {
    guard let part else { return }
    let isAnimated = part.options.transition(for: .network).isAnimated
    show(part.image, by: part.options, transition: isAnimated ? .partial : .none)
  }

  /// Restores the image that was shown before the first preview. Called when the load ends without a final image.
  func takeBackPart(transition: Transition = .none) {
    guard let part else { return }
    self.part = nil
    guard part.options.showsImage != nil || target.image === part.image else { return }
    show(part.before, by: part.options, transition: transition)
  }
}
