/// Which requests have failed for good and fail at once for a while, without being sent again.
///
/// ```swift
/// configuration.failureMemory = FailureMemory(timeToLive: 60)
/// ```
///
/// Remembered is what the server would answer again: a status of 4xx other than 408, 425 and 429, a refused
/// redirect, an answer that is empty or no picture. Not remembered is what may be over with the next try: a
/// cancelled load, whatever the network failed at (offline, time out, names, connections, TLS), 5xx, and
/// whatever a limit, a transform or this machine refused (YY-F32, SD-F48).
///
/// An answer belongs to the URL that was sent, with the headers of `RequestIdentity`: other credentials, or a
/// URL signed anew, are another request, even where `Configuration.keyFilter` gives them one key.
public struct FailureMemory: Sendable {
  /// Seconds during which a failure is remembered, by `Configuration.clock`. With 0, less, or
  /// NaN nothing is remembered, with infinity until there is no room.
  public var timeToLive: Double
  /// How many failures are remembered; the oldest go first. With 0 or less none.
  public var limit: Int

  /// The maximum length in bytes of a server's text in an error that is remembered, so that the texts cannot fill the
  /// memory.
  private static let longestText = 1 << 10

  private struct Entry {
    let error: ImageError
    /// Nanoseconds.
    let time: Int64
  }

  private var entries: [RequestIdentity: Entry] = [:]
  /// The same, the oldest first.
  private var order = WaitingList<RequestIdentity>()
  private var lastNumber: UInt64 = 0

  /// A memory of nothing; 5 minutes and 1,000 failures unless said otherwise.
  public init(timeToLive: Double = 300, limit: Int = 1000) {
    self.timeToLive = timeToLive
    self.limit = limit
  }

  var count: Int { entries.count }

  /// Why a request failed, if that is remembered. O(1).
  func error(for request: RequestIdentity, at now: Int64) -> ImageError? {
    entries[request].flatMap { isAlive($0, at: now) ? $0.error : nil }
  }

  /// Keeps a failure that lasts, as the newest. O(1), amortised.
  mutating func remember(_ error: ImageError, of request: RequestIdentity, at now: Int64) {
    guard error.isLasting, error.statedText.utf8.count <= Self.longestText, limit > 0, timeToLive > 0 else {
      return
    }
    remove(request)
    while let oldest = order.head(.fifo)?.item,
      entries.count >= limit || !(entries[oldest].map { isAlive($0, at: now) } ?? false)
    {
      remove(oldest)
    }
    lastNumber += 1
    order.append(request, priority: .normal, number: lastNumber)
    entries[request] = Entry(error: error, time: now)
  }

  /// Whether there was one. O(1).
  @discardableResult
  mutating func remove(_ request: RequestIdentity) -> Bool {
    order.remove(request)
    return entries.removeValue(forKey: request) != nil
  }

  /// Whether there was any.
  mutating func removeAll() -> Bool {
    defer { self = FailureMemory(timeToLive: timeToLive, limit: limit) }
    return !entries.isEmpty
  }

  private func isAlive(_ entry: Entry, at now: Int64) -> Bool { Double(now &- entry.time) / 1e9 < timeToLive }
}

extension ImageError {
  /// The text of the server that the error contains; empty for most errors.
  fileprivate var statedText: String {
    switch self {
    case .contentType(let type): type
    case .redirectRefused(.badLocation(let text)), .redirectRefused(.scheme(let text)),
      .redirectRefused(.byRule(let text)):
      text
    default: ""
    }
  }

  /// Whether the same request would fail in the same way if it were sent again soon.
  fileprivate var isLasting: Bool {
    switch self {
    // A time out, too early, too many requests: the server asks to come back.
    case .status(let status): (400..<500).contains(status) && ![408, 425, 429].contains(status)
    case .contentType, .redirectRefused, .emptyBody, .notAnImage, .decoding: true
    case .cancelledLoad, .invalidURL, .unsupportedScheme, .transport, .timedOut, .untrustedServer,
      .proxyFailed,
      .requestRefused, .responseRefused, .unreadableFile, .encoding, .invalidData,
      .tooLarge, .transform, .notCached,
      .notConfigured,
      .shutDown:
      false
    }
  }
}
