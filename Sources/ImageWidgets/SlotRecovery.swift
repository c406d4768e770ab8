import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// Sends the request of a slot again after a failure that can heal, or for a stale image, without showing that it does.
///
/// `Recovery` says when; this is the slot's side of it. The slot keeps what it shows until there is an image. Ends when it
/// is released.
final class SlotRecovery {
  private weak var slot: ImageSlot?
  private let downloader: ImageDownloader
  private let question: SlotQuestion
  /// The failure that the slot shows; nil where it shows an image.
  private let failure: ImageError?
  private var ticket: Recovery.Ticket?
  private var task: ImageTask?
  /// Counts the requests: the results of earlier ones are dropped.
  private var generation = 0
  private var isKnownVisible = false

  /// Returns nil where the result is final.
  ///
  /// - Parameters:
  ///   - question: The request of the slot, as it was loaded.
  ///   - result: What the slot shows now.
  static func begin(
    for slot: ImageSlot, _ downloader: ImageDownloader, _ question: SlotQuestion,
    after result: Result<ImageResponse, ImageError>
  ) -> SlotRecovery? {
    guard question.options.setsImage else { return nil }
    switch result {
    case .failure(let error):
      guard let cause = RecoveryCause(error) else { return nil }
      let recovery = SlotRecovery(slot, downloader, question, from: error)
      return recovery.begin(cause, isReleased: false) ? recovery : nil
    case .success(let response):
      guard let staleness = response.staleness ?? downloader.staleness(of: response.image),
        question.request.cachePolicy != .cacheOnly,
        let cause = staleness.reason.map({ RecoveryCause($0) }) ?? .server
      else { return nil }
      var again = question.forRefresh
      if again.request.cachePolicy == .useCache { again.request.cachePolicy = .refresh }
      again.request.priority = min(again.request.priority, .low)
      let recovery = SlotRecovery(slot, downloader, again, from: nil)
      // Without a reason the server is being asked: the request joins that.
      return recovery.begin(cause, isReleased: staleness.reason == nil) ? recovery : nil
    }
  }

  private init(
    _ slot: ImageSlot, _ downloader: ImageDownloader, _ question: SlotQuestion, from failure: ImageError?
  ) {
    self.slot = slot
    self.downloader = downloader
    self.question = question
    self.failure = failure
  }

  /// Returns false where nothing is retried.
  private func begin(_ cause: RecoveryCause, isReleased: Bool) -> Bool {
    isKnownVisible = slot?.target.view?.isOnScreen == true
    ticket = downloader.recovery.begin(
      question.request, cause, isVisible: isKnownVisible, isReleased: isReleased
    ) { [weak self] in self?.send() ?? false }
    return ticket != nil
  }

  isolated deinit { task?.cancel() }

  /// The slot is being drawn. Changes nothing in the view tree.
  func wasDrawn() {
    guard !isKnownVisible else { return }
    isKnownVisible = true
    ticket?.becameVisible()
  }

  /// Returns false where the slot cannot be seen.
  private func send() -> Bool {
    guard let slot, slot.target.view?.isOnScreen == true else {
      isKnownVisible = false
      return false
    }
    var again = question
    let size = NeededSize(of: slot.target)
    if size != .unknown { again.size = size }
    task?.cancel()
    generation += 1
    if let newer = newerImage(for: again, than: slot.shownImage) {
      ended(again, .success(ImageResponse(image: newer, source: .memory)))
      return true
    }
    let generation = generation
    task = downloader.probe(
      again.sizedRequest, additionalIdentifier: again.additionalIdentifier
    ) { [weak self] result in
      guard let self, generation == self.generation else { return }
      task = nil
      ended(again, result)
    }
    return true
  }

  /// What another request has brought since a stale image was shown.
  private func newerImage(for question: SlotQuestion, than shown: Image?) -> Image? {
    guard question.hasPicture else { return nil }
    var request = question.sizedRequest
    request.cachePolicy = .useCache
    guard
      let image = downloader.cachedImage(for: request, additionalIdentifier: question.additionalIdentifier),
      image != shown, downloader.staleness(of: image) == nil
    else { return nil }
    return image
  }

  private func ended(_ question: SlotQuestion, _ result: Result<ImageResponse, ImageError>) {
    switch result {
    case .success(let response):
      if question.hasPicture, let staleness = response.staleness {
        // The slot shows that already.
        ticket?.failedAgain(staleness.reason.flatMap { RecoveryCause($0) } ?? .server)
      } else {
        ticket = nil
        slot?.recover(question, response, from: failure)
      }
    case .failure(.cancelled): ticket = nil
    case .failure(let error):
      if let cause = RecoveryCause(error) { ticket?.failedAgain(cause) } else { ticket = nil }
    }
  }
}

extension ImageResponse {
  /// Nil for a response that is not stale.
  fileprivate var staleness: Staleness? {
    if case .stale(_, let reason) = freshness { Staleness(reason: reason) } else { nil }
  }
}
