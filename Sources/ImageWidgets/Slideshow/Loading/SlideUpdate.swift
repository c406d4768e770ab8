import VitrineGraphics
import VitrineLoading

/// Learns whether the server has another image than the stale one of a slide. Joins the request that was sent when the
/// stale image was loaded, and asks again while the server fails; see `RecoveryPolicy`.
///
/// The request is cancelled when this object is released.
final class SlideUpdate {
  /// The size for which the slide was loaded.
  let size: SlideSize
  private let request: ImageRequest
  private let downloader: ImageDownloader
  private let stale: ShownImage
  private let isOnScreen: () -> Bool
  /// Called at most once, with another image.
  private let onNewImage: (SlideUpdate, Image) -> Void
  private var ticket: Recovery.Ticket?
  private var task: ImageTask?
  /// Generation counter, incremented by each request. Results of earlier requests are dropped.
  private var generation = 0
  /// True before the first request if another request to the server was in progress, which the first one joins.
  private var joinsRequest: Bool
  /// True if a request was not sent because the slideshow was not on the screen.
  private var isWaitingForScreen = false

  /// - Parameters:
  ///   - stale: The stale image of the slide.
  ///   - isOnScreen: Returns true if the slideshow is on the screen. No request is sent otherwise.
  init(
    _ stale: SlideLoad.StaleImage, size: SlideSize, from downloader: ImageDownloader,
    isOnScreen: @escaping () -> Bool, onNewImage: @escaping (SlideUpdate, Image) -> Void
  ) {
    self.size = size
    request = stale.request
    self.stale = ShownImage(stale.image)
    self.downloader = downloader
    self.isOnScreen = isOnScreen
    self.onNewImage = onNewImage
    // The server may have failed since the stale image was loaded. Without a reason, it is being asked.
    let reason = downloader.staleness(of: stale.image)?.reason ?? stale.reason
    joinsRequest = reason == nil
    guard request.cachePolicy != .cacheOnly, let cause = reason.map({ RecoveryCause($0) }) ?? .server
    else { return }
    ticket = downloader.recovery.begin(request, cause, isVisible: true, isReleased: reason == nil) {
      [weak self] in self?.send() ?? false
    }
  }

  isolated deinit { task?.cancel() }

  /// Called when the slideshow is drawn.
  func wasDrawn() {
    guard isWaitingForScreen else { return }
    isWaitingForScreen = false
    ticket?.becameVisible()
  }

  /// Asks the server. Returns false if the slideshow is not on the screen.
  private func send() -> Bool {
    isWaitingForScreen = !isOnScreen()
    if isWaitingForScreen { return false }
    task?.cancel()
    task = nil
    generation += 1
    let generation = generation
    var again = request
    again.cachePolicy = .refresh
    again.priority = min(again.priority, .low)
    // The server may have responded, or failed, since the stale image was loaded.
    var known: Result<ImageResponse, ImageError>?
    task = downloader.probe(again, additionalIdentifier: nil) {
      known = downloader.knownOutcome(
        of: request, additionalIdentifier: nil, shown: stale, includesFailure: joinsRequest)
      return known == nil
    } completion: { [weak self] result in
      if let self, generation == self.generation { received(result) }
    }
    joinsRequest = false
    if let known { received(known) }
    return true
  }

  private func received(_ result: Result<ImageResponse, ImageError>) {
    task = nil
    switch result {
    case .success(let response):
      let image = response.image
      switch response.freshness {
      case .fresh: end(image, isOther: image.number != stale.number)
      case .revalidated: end(image, isOther: image.hasOtherVersion(than: stale.version))
      case .stale(_, let reason): failed(because: reason.map { RecoveryCause($0) } ?? .server)
      }
    case .failure(.cancelled), .failure(.shutDown): ticket = nil
    case .failure(let error): failed(because: RecoveryCause(error))
    }
  }

  private func failed(because cause: RecoveryCause?) {
    if let cause, downloader.recovery.retries(cause) { ticket?.failedAgain(cause) } else { ticket = nil }
  }

  private func end(_ image: Image, isOther: Bool) {
    ticket = nil
    if isOther { onNewImage(self, image) }
  }
}
