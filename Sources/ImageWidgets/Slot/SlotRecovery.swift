import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// Sends the request of a slot again after a retryable failure, for a stale image, or when the refresh interval has
/// passed, without any visible sign.
///
/// `Recovery` decides when. The slot keeps what it shows until there is an image. The recovery ends when this object is
/// released.
final class SlotRecovery {
  private weak var slot: ImageSlot?
  private let downloader: ImageDownloader
  private let slotRequest: SlotRequest
  /// The failure that the slot shows; nil if it shows an image.
  private let failure: ImageError?
  private var ticket: Recovery.Ticket?
  private var task: ImageTask?
  /// Generation counter, incremented by each request. Results of earlier requests are dropped.
  private var generation = 0
  private var isKnownVisible = false
  /// True until the first request, for an image whose server is being asked already.
  private var joinsRevalidation = false
  /// True if the request is sent because the refresh interval has passed.
  private var isRefresh = false

  /// Begins a recovery. Returns `nil` if the result is final.
  ///
  /// - Parameters:
  ///   - slotRequest: The slot's request as it was loaded.
  ///   - result: The result that the slot shows now.
  static func begin(
    for slot: ImageSlot, _ downloader: ImageDownloader, _ slotRequest: SlotRequest, after result: SlotResult
  ) -> SlotRecovery? {
    guard slotRequest.options.setsImage, !slotRequest.isLive else { return nil }
    switch result {
    case .failure(let error):
      let recovery = SlotRecovery(slot, downloader, slotRequest, from: error)
      let isRetried = RecoveryCause(error).map { recovery.begin($0, isReleased: false) } ?? false
      return isRetried || recovery.beginInterval() ? recovery : nil
    case .success(let response):
      guard slotRequest.request.cachePolicy != .cacheOnly else { return nil }
      var again = slotRequest.forRefresh
      if again.request.cachePolicy == .useCache { again.request.cachePolicy = .refresh }
      again.request.priority = min(again.request.priority, .low)
      let recovery = SlotRecovery(slot, downloader, again, from: nil)
      // The downloader knows more than the response if the server has failed since.
      let known = downloader.staleness(of: response.image, for: slotRequest.request)
      guard let staleness = known ?? Staleness(response.freshness),
        let cause = staleness.reason.map({ RecoveryCause($0) }) ?? .server
      else { return recovery.beginInterval() ? recovery : nil }
      // Without a reason, a request to the server is already in progress. The recovery joins its fetch.
      recovery.joinsRevalidation = staleness.reason == nil
      let isRetried = recovery.begin(cause, isReleased: staleness.reason == nil)
      return isRetried || recovery.beginInterval() ? recovery : nil
    }
  }

  private init(
    _ slot: ImageSlot, _ downloader: ImageDownloader, _ slotRequest: SlotRequest, from failure: ImageError?
  ) {
    self.slot = slot
    self.downloader = downloader
    self.slotRequest = slotRequest
    self.failure = failure
  }

  /// Sends the request when the refresh interval has passed. Returns false if there is none.
  private func beginInterval() -> Bool {
    guard let interval = slotRequest.options.effectiveRefreshInterval,
      slotRequest.request.cachePolicy != .cacheOnly
    else { return false }
    isRefresh = true
    return begin(.server, isReleased: false, after: interval)
  }

  /// Returns false if the recovery is disabled for this request.
  private func begin(_ cause: RecoveryCause, isReleased: Bool, after pause: Double = 0) -> Bool {
    isKnownVisible = slot?.target.view?.isOnScreen == true
    ticket = downloader.recovery.begin(
      slotRequest.request, cause, isVisible: isKnownVisible, isReleased: isReleased, after: pause,
      clockSteps: slotRequest.clockSteps
    ) { [weak self] in self?.send() ?? false }
    return ticket != nil
  }

  isolated deinit { task?.cancel() }

  /// Called when the slot is drawn. Does not change the view tree.
  func wasDrawn() {
    guard !isKnownVisible else { return }
    isKnownVisible = true
    ticket?.becameVisible()
  }

  /// Sends the request. Returns false if the slot is not visible.
  private func send() -> Bool {
    guard let slot, slot.target.view?.isOnScreen == true, !isRefresh || slot.target.isShowing else {
      isKnownVisible = false
      return false
    }
    var again = slotRequest
    let size = NeededSize(of: slot.target)
    if size != .unknown { again.size = size }
    task?.cancel()
    generation += 1
    let generation = generation
    var known: SlotResult?
    task = downloader.probe(
      again.sizedRequest, additionalIdentifier: again.additionalIdentifier
    ) {
      known = knownOutcome(for: again, shown: slot.shownImage)
      return known == nil
    } completion: { [weak self] result in
      guard let self, generation == self.generation else { return }
      task = nil
      ended(again, result)
    }
    joinsRevalidation = false
    if let known { ended(again, known) }
    return true
  }

  /// Returns the outcome of another request that has asked the server since the stale image was shown; `nil` if there
  /// was none.
  private func knownOutcome(for slotRequest: SlotRequest, shown: Image?) -> SlotResult? {
    guard slotRequest.hasImage, !isRefresh else { return nil }
    var request = slotRequest.sizedRequest
    request.cachePolicy = .useCache
    return downloader.knownOutcome(
      of: request, additionalIdentifier: slotRequest.additionalIdentifier,
      shown: shown.map { ShownImage($0) }, includesFailure: joinsRevalidation)
  }

  private func ended(_ slotRequest: SlotRequest, _ result: SlotResult) {
    switch result {
    case .success(let response):
      if slotRequest.hasImage, let staleness = Staleness(response.freshness) {
        // The slot shows this image already.
        failedAgain(staleness.reason.flatMap { RecoveryCause($0) } ?? .server)
        if let reason = staleness.reason { keptImage(because: reason) }
      } else if isRefresh, failure == nil, response.image == slot?.shownImage {
        _ = beginInterval()
      } else {
        ticket = nil
        slot?.recover(slotRequest, response, from: failure)
      }
    case .failure(.shutDown): ticket = nil
    case .failure(.cancelled):
      ticket = nil
      _ = beginInterval()
    case .failure(let error):
      failedAgain(RecoveryCause(error))
      if slotRequest.hasImage { keptImage(because: error) }
    }
  }

  /// Waits until the request is sent again. If the failure is final, or if failed requests are not sent again, waits for
  /// the next refresh instead, or ends the recovery if there is no refresh interval.
  private func failedAgain(_ cause: RecoveryCause?) {
    if let cause, downloader.recovery.retries(cause) {
      ticket?.failedAgain(cause)
    } else {
      ticket = nil
      _ = beginInterval()
    }
  }

  private func keptImage(because error: ImageError) {
    if let image = slot?.shownImage { ImageSlot.observer?.slotDidFailToRefresh(image, because: error) }
  }
}
