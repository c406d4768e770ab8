import FoundationEssentials
import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// The content of a slot: the request that begins next or the image that is shown, its presentation, and its diagnostic
/// report.
struct SlotContent: ~Copyable {
  /// The URL of the latest request; `nil` for none, and after a cancelled or refused request.
  private(set) var url: String?
  /// The source and loading time of the shown image, or the failure, for the diagnostic overlay; `nil` while the slot
  /// loads.
  private(set) var report: SlotReport?
  private var subject = SlotSubject()
  /// True if the accepted request has to begin.
  private var begins = false
  /// Keeps the shown image in the memory cache when other images are evicted.
  private var showing: Image.Showing?
  private var presentation = SlotPresentation()

  /// The image that the slot shows, in its target or by a custom presentation.
  func image(in scene: SlotScene) -> Image? { presentation.image(in: scene) }

  /// The image that the slot shows, or that was shown before the first preview.
  func imageWithoutPreview(in scene: SlotScene) -> Image? { presentation.imageWithoutPreview(in: scene) }

  mutating func wasDrawn() { presentation.wasDrawn() }

  /// False while an accepted request or a refused source has not taken effect.
  var isSettled: Bool { subject.accepted == nil && subject.refusal == nil }

  // MARK: Requests

  /// Replaces the subject and returns the previous subject. The shown image stays.
  mutating func exchange(for new: consuming SlotSubject) -> SlotSubject {
    swap(&subject, &new)
    showing = nil
    begins = !isSettled
    return new
  }

  /// Shows nothing.
  mutating func clear() {
    url = nil
    presentation.clear()
  }

  /// Removes the report of a request that has been replaced or cancelled.
  mutating func removeReport() { report = nil }

  /// Removes the URL of a cancelled request, and restores what was shown before the first preview.
  mutating func cancel(_ slotRequest: SlotRequest, in scene: SlotScene) {
    if !slotRequest.hasImage { url = nil }
    presentation.takeBackPreview(in: scene)
  }

  /// Removes the accepted request after its lookup in memory, and returns it with its handlers; `nil` if there is
  /// none.
  mutating func takeRequest(in scene: SlotScene) -> SlotSubject.Accepted? {
    guard var accepted = subject.accepted.take() else { return nil }
    accepted.slotRequest.lookedUp(in: scene)
    presentation.begin(accepted.slotRequest.options, in: scene)
    return accepted
  }

  /// The lookup of the accepted request; `nil` if there is none.
  var lookup: SlotLookup? { subject.accepted?.slotRequest.lookup }

  mutating func showPlaceholder(of slotRequest: SlotRequest, in scene: SlotScene) {
    presentation.showPlaceholder(slotRequest.placeholder, slotRequest.options, in: scene)
  }

  /// True if the slot shows a preview.
  var hasPreview: Bool { presentation.hasPreview }

  /// Shows an image from memory or from disk while the server is asked whether the image has changed.
  ///
  /// - Parameters:
  ///   - isVariant: True if the slot shows the first frame of the image or a smaller variant.
  ///   - isContinued: True if the slot shows the first frame of the animation.
  mutating func showMeanwhile(
    _ response: ImageResponse, of slotRequest: SlotRequest, isVariant: Bool = false,
    isContinued: Bool = false, in scene: SlotScene
  ) {
    setShown(slotRequest, response.image)
    presentation.show(
      response, slotRequest.options, isVariant: isVariant,
      hasWaited: presentation.hasWaited(for: response, in: scene), isContinued: isContinued)
  }

  // MARK: Results

  /// Shows the next image of a live stream. Returns false if code outside the slot has replaced the previous image.
  mutating func showNext(_ image: Image, of slotRequest: SlotRequest, in scene: SlotScene) -> Bool {
    guard hasKeptImage(in: scene) else { return false }
    setShown(slotRequest, image)
    presentation.showNext(image, slotRequest.options)
    return true
  }

  /// Shows the result of a request. A failed or cancelled load of a larger or newer variant leaves the shown image.
  mutating func show(_ result: SlotResult, of slotRequest: SlotRequest, in scene: SlotScene) {
    setReport(result, of: slotRequest, in: scene)
    switch result {
    case .success(let response):
      if !isConfirmed(by: response, of: slotRequest, in: scene) {
        let continuesFirstFrame = continuesFirstFrame(response, of: slotRequest, in: scene)
        setShown(slotRequest, response.image)
        presentation.show(
          response, slotRequest.options, isVariant: slotRequest.hasImage,
          hasWaited: presentation.hasWaited(for: response, in: scene), isContinued: continuesFirstFrame)
      }
    case .failure where slotRequest.hasImage: break
    case .failure(.cancelled): cancel(slotRequest, in: scene)
    case .failure: presentation.showFailure(slotRequest.placeholder, slotRequest.options, in: scene)
    }
  }

  /// Shows the failure of a refused source, and returns it; `nil` if no source has been refused.
  mutating func showRefusal(in scene: SlotScene) -> SlotRefusal? {
    guard let refusal = subject.refusal.take() else { return nil }
    url = nil
    if !refusal.isNil { report = SlotReport(.failure(refusal.error), elapsed: nil) }
    presentation.showRefusal(refusal.placeholder, refusal.options, isNil: refusal.isNil, in: scene)
    return refusal
  }

  private mutating func setShown(_ slotRequest: SlotRequest, _ image: Image) {
    subject = SlotSubject(shown: .init(slotRequest: slotRequest, image: image))
    showing = Image.Showing(image)
  }

  private mutating func setReport(_ result: SlotResult, of slotRequest: SlotRequest, in scene: SlotScene) {
    let elapsed = slotRequest.began.flatMap { began in scene.now.map { $0 - began } }
    if let new = SlotReport(result, elapsed: elapsed) { report = new }
  }

  /// True if the server has confirmed the shown image, now or for another load, or could not be asked, and the response
  /// has no more pixels. The server may also have confirmed a newer image, which another slot or process has stored.
  private func isConfirmed(by response: ImageResponse, of slotRequest: SlotRequest, in scene: SlotScene)
    -> Bool
  {
    guard slotRequest.hasImage, let image = keptImage(in: scene),
      response.freshness != .fresh
        || response.source == .disk && response.image.hasSameVersion(as: image.version),
      image.isAnimated || !response.image.isAnimated
    else { return false }
    if response.freshness == .revalidated, response.image.hasOtherVersion(than: image.version) {
      return false
    }
    return image.pixelWidth >= response.image.pixelWidth && image.pixelHeight >= response.image.pixelHeight
  }

  /// True if a response from disk is the animation whose first frame the slot shows.
  func continuesFirstFrame(
    _ response: ImageResponse, of slotRequest: SlotRequest, in scene: SlotScene
  ) -> Bool {
    guard slotRequest.hasProvisionalImage, response.source == .disk, let image = keptImage(in: scene) else {
      return false
    }
    return image.pixelWidth == response.image.pixelWidth && image.pixelHeight == response.image.pixelHeight
  }

  /// True if the slot shows an image that no code outside the slot has replaced.
  func hasKeptImage(in scene: SlotScene) -> Bool { keptImage(in: scene) != nil }

  /// The request of the image that the slot shows; `nil` if code outside the slot has replaced the image.
  func shownRequest(in scene: SlotScene) -> SlotRequest? {
    hasKeptImage(in: scene) ? subject.shown?.slotRequest : nil
  }

  private func keptImage(in scene: SlotScene) -> Image? {
    guard let image = subject.shown?.image, presentation.hasKept(image, in: scene) else { return nil }
    return image
  }

  /// Returns a request for a larger variant if the view has outgrown the shown image. Each size is requested once, also
  /// if the load fails.
  mutating func outgrown(in scene: SlotScene) -> SlotRequest? {
    guard let image = keptImage(in: scene),
      subject.shown?.slotRequest.isOutgrown(image, at: scene.needed) == true
    else { return nil }
    let larger = subject.shown?.slotRequest.forGrowth
    subject.shown?.slotRequest.size = scene.needed
    return larger
  }

  // MARK: Previews and effects

  mutating func showPreview(_ image: Image, of slotRequest: SlotRequest, in scene: SlotScene) {
    guard slotRequest.options.setsImage, !slotRequest.hasImage else { return }
    presentation.showPreview(image, slotRequest.options, in: scene)
  }

  mutating func transitionEnded(to image: Image, of slotRequest: SlotRequest) {
    presentation.transitionEnded(to: image, slotRequest.options)
  }

  mutating func nextEffect() -> SlotEffect? { presentation.nextEffect() }

  mutating func nextCall() -> SlotEffect? { presentation.nextCall() }

  /// Returns the beginning of the accepted request.
  mutating func nextStep() -> SlotEffect? {
    guard begins else { return nil }
    begins = false
    if subject.refusal != nil { return .showRefusal }
    guard let requestedURL = subject.accepted?.slotRequest.request.url else { return nil }
    url = requestedURL.absoluteString
    return .lookUp(nil)
  }
}
