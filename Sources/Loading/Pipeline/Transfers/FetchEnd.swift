import VitrineGraphics

/// The result of a transfer.
struct FetchEnd: Sendable {
  enum Outcome: Sendable {
    case bytes(FetchedBytes)
    /// The stored response is still valid (304).
    indirect case notModified(TransportResponse, TransportMetrics)
    case failed(ImageError)
    /// The response to a range or conditional request is unusable: the whole body must be requested.
    case needsWhole
  }

  var outcome: Outcome
  /// The head of the response, if there was one.
  var response: TransportResponse?
  /// The number of seconds that the server asks clients to wait (`Retry-After`).
  var retryAfter: Double?
  var speaksHTTP2 = false
  /// True if the transfer has brought the rest of resumable data.
  var isRest = false
  /// The number of seconds for which the transfer waited for memory.
  var secondsPaused = 0.0
  /// The images in memory that were made from the stored response that the server has confirmed (304).
  var confirmed: [ProcessedImageID: Image] = [:]
  /// The lock of the fetch, kept until the response has been stored.
  var lock: FetchLockHold?

  /// True if the server has sent a response other than a retryable error, and a captive portal is no likely sender.
  var showsThatServerResponds: Bool {
    switch outcome {
    case .bytes(let bytes): !bytes.mayBeOfCaptivePortal
    case .notModified, .needsWhole: true
    case .failed(let error):
      response != nil && error.traits.isDisjoint(with: [.retryable, .recoversWithResponse])
    }
  }

  /// The error of a failed attempt; `.emptyBody` for a response without bytes, and `nil` for other responses.
  var failure: ImageError? {
    switch outcome {
    case .bytes(let bytes): bytes.isEmpty ? .emptyBody : nil
    case .failed(let error): error
    case .notModified, .needsWhole: nil
    }
  }

  /// Changes the received bytes, if there are any. No other copy of the result should exist, because the values of the
  /// bytes are then not copied.
  mutating func changeBytes(_ change: (inout FetchedBytes) -> Void) {
    guard case .bytes(var bytes) = outcome else { return }
    outcome = .needsWhole
    change(&bytes)
    outcome = .bytes(bytes)
  }

  init(_ outcome: Outcome, response: TransportResponse? = nil) {
    self.outcome = outcome
    self.response = response
  }

  /// Replaces the time limit in the error by the configured limit, and sets `retryAfter` from the headers.
  mutating func complete(_ configuration: ImageDownloader.Configuration) {
    // A retry has only the remaining time, but the error states the limit that was configured.
    if case .failed(.timedOut(.total)) = outcome {
      outcome = .failed(.timedOut(.total(seconds: configuration.timeouts.total)))
    }
    if let headers = response?.headers {
      retryAfter = RetryAfter.seconds(headers, wallClock: configuration.environment.wallClock)
    }
  }

  /// Creates a result with another outcome for the transfer that ended with `end`.
  init(_ result: Result<FetchedBytes, ImageError>, like end: FetchEnd) {
    switch result {
    case .success(let bytes): outcome = .bytes(bytes)
    case .failure(let error): outcome = .failed(error)
    }
    response = end.response
    speaksHTTP2 = end.speaksHTTP2
    isRest = end.isRest
    secondsPaused = end.secondsPaused
    lock = end.lock
  }
}
