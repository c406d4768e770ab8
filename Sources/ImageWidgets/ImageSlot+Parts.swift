import VitrineGraphics
import VitrineLoading
import VitrineWidgets

// Pictures in part: what a request that is `progressive` shows until the whole is there.

extension ImageSlot {
  /// More of the picture can be seen. What has faded in but half is let do so first: the newest comes after it.
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

  /// Fades it in, unless pictures from the network come without: no other transition is for half a picture (SD-W27,
  /// YY-B15).
  private func showPart() {
    guard let part else { return }
    let isAnimated = part.options.transition(for: .network).isAnimated
    show(part.image, by: part.options, transition: isAnimated ? .partial : .none)
  }

  /// There will be no whole picture: what would be seen had nothing of it come is there again.
  func takeBackPart(transition: Transition = .none) {
    guard let part else { return }
    self.part = nil
    guard part.options.showsImage != nil || target.image === part.image else { return }
    show(part.before, by: part.options, transition: transition)
  }
}
