import VitrineGraphics
import VitrineLoading
import VitrineWidgets

// Previews: the images that a progressive request shows until the final image is loaded.

extension ImageSlot {
  /// Shows a preview. During the transition to a preview, only the latest further preview is kept; it is shown at the
  /// end of the transition.
  func show(_ image: Image, of load: SlotLoad) {
    let slotRequest = load.slotRequest
    guard isWaiting(for: load), slotRequest.options.setsImage, !slotRequest.hasImage else { return }
    guard let shown = self.preview else {
      self.preview = SlotPreview(image, insteadOf: shownImage, options: slotRequest.options)
      return showPreview()
    }
    guard self.preview?.append(image) == true else { return }
    target.view?.afterTransition(to: shown.image) { [weak self] in
      guard let self, self.preview?.image === shown.image, self.preview?.advance() == true else { return }
      showPreview()
    }
  }

  /// Shows the current preview with a cross-dissolve of 0.4 s, or at once if images from the network have no
  /// transition. The transition that the options name is for the final image only.
  private func showPreview() {
    guard let preview else { return }
    let isAnimated = preview.options.transition(for: .network).isAnimated
    show(preview.image, by: preview.options, transition: isAnimated ? .preview : .none)
  }

  /// Restores the image that was shown before the first preview. Called when the load ends without a final image.
  func takeBackPreview(transition: Transition = .none) {
    guard let preview else { return }
    self.preview = nil
    guard preview.options.showsImage != nil || target.image === preview.image else { return }
    show(preview.before, by: preview.options, transition: transition)
  }
}
