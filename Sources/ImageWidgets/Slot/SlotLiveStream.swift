import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// Shows the images of a live stream in a slot, until the slot is given another request.
///
/// The first image or failure is the result of the slot's load. The connection is closed when an image arrives while
/// the slot is not visible, and opened again when the slot is drawn.
final class SlotLiveStream {
  /// The number of seconds without a drawing after which the slot counts as not visible, because the window is not.
  private static let longestTimeUndrawn = 1.0

  private weak var slot: ImageSlot?
  private let slotRequest: SlotRequest
  private let options: LiveImageStream.Options
  /// The load of the slot, until its result is known.
  private var load: SlotLoad?
  private var stream: LiveImageStream?
  /// The failure that the slot shows; `nil` if it shows an image.
  private var failure: ImageError?
  /// The image that is fading in; `nil` if none is. Later images wait until its transition has ended.
  private var enteringImage: Image?
  /// The newest image that has arrived during the transition.
  private var waitingImage: Image?
  /// The time of the window at which the first image was set since the slot was drawn; `nil` if it was drawn since.
  private var undrawnSince: Double?

  init(in slot: ImageSlot, _ load: SlotLoad, _ options: LiveImageStream.Options) {
    self.slot = slot
    self.load = load
    self.options = options
    slotRequest = load.slotRequest
  }

  func start(from downloader: ImageDownloader) {
    guard let slot else { return }
    var request = slotRequest.request
    request.fit(NeededSize(of: slot.target))
    stream = downloader.liveImages(
      request, options: options, onFrame: { [weak self] in self?.received($0) },
      onEvent: { [weak self] in self?.received($0) })
  }

  /// The counters of the stream; `nil` once it has ended.
  var statistics: LiveImageStream.Statistics? { stream?.statistics }

  // MARK: View

  /// Decodes later images at the size that the view needs now, unless the caller has set a `targetSize`.
  func fit(_ needed: NeededSize) {
    guard let stream, slotRequest.request.targetSize == nil else { return }
    switch needed {
    case .unknown: break
    case .natural: stream.targetSize = nil
    case .target(let size): stream.targetSize = size
    }
  }

  /// Called when the view is drawn. Does not change the view tree.
  func wasDrawn() {
    guard let target = slot?.target, target.isShowing else { return }
    undrawnSince = nil
    if let stream, stream.isPaused { stream.resume() }
  }

  private func pauseUnlessVisible() {
    guard let stream, let target = slot?.target, let view = target.view else { return }
    let now = view.window?.now ?? 0
    let undrawn = undrawnSince.map { now - $0 } ?? 0
    if !target.isShowing || !view.isOnScreen || undrawn > Self.longestTimeUndrawn { stream.pause() }
    if undrawnSince == nil { undrawnSince = now }
  }

  // MARK: Stream

  private func received(_ image: Image) {
    guard let slot else { return }
    let response = ImageResponse(image: image, source: .network)
    if let load = load.take() {
      slot.received(.success(response), of: load)
      entered(image)
    } else if let failure = failure.take() {
      slot.recover(slotRequest, response, from: failure)
      entered(image)
    } else if enteringImage != nil {
      waitingImage = image
    } else {
      showNext(image)
    }
    pauseUnlessVisible()
  }

  /// Shows later images when the transition to the first one has ended.
  private func entered(_ image: Image) {
    guard slotRequest.options.setsImage else { return stop() }
    enteringImage = image
    let showWaiting = { [weak self] in
      guard let self else { return }
      enteringImage = nil
      if let image = waitingImage.take() { showNext(image) }
    }
    if let view = slot?.target.view { view.afterTransition(to: image, showWaiting) } else { showWaiting() }
  }

  private func showNext(_ image: Image) {
    if slot?.show(liveImage: image, of: slotRequest) != true { stop() }
  }

  private func received(_ event: LiveImageStream.Event) {
    switch event {
    case .playing: return
    // The response had no image.
    case .ended: if load != nil { failed(.emptyBody) }
    // The server has ended its response without an image.
    case .interrupted(nil, _): failed(.emptyBody)
    case .interrupted(let error?, _), .frameFailed(let error): failed(error)
    case .failed(let error):
      failed(error)
      stop()
    }
    pauseUnlessVisible()
  }

  private func failed(_ error: ImageError) {
    if let load = load.take() {
      failure = error
      slot?.received(.failure(error), of: load)
    } else if failure == nil, let image = slot?.shownImage {
      ImageSlot.observer?.slotDidFailToRefresh(image, because: error)
    }
  }

  private func stop() { stream = nil }
}
