import VitrineGraphics

/// A memory of requests that failed permanently. For `timeToLive` seconds, such a request fails at once without being
/// sent.
///
/// ```swift
/// configuration.failureMemory = FailureMemory(timeToLive: 60)
/// ```
///
/// Permanent failures are remembered: a 4xx status other than 408, 425 and 429, a refused redirect or content type, an
/// empty response, and bytes that are damaged or not an image. Failures that may not happen again are not remembered:
/// cancelled loads, network failures (offline, timeouts, names, connections, TLS), 5xx statuses, and refusals by a
/// limit, a transform or this machine.
///
/// A failure belongs to the URL that was sent and to the headers of `RequestIdentity`. A request with other credentials
/// or with a newly signed URL is another request, even if `Configuration.requests.keyFilter` gives both the same key.
public struct FailureMemory: Sendable {
  /// The number of seconds for which a failure is remembered, by `Configuration.environment.clock`; 300 by default. 0,
  /// negative values and NaN remember nothing; infinity remembers a failure until `limit` is reached.
  public var timeToLive: Double
  /// The maximum number of remembered failures; 1,000 by default. The oldest are dropped first. 0 and negative values
  /// remember nothing.
  public var limit: Int

  /// The maximum length in bytes of a server's text in a remembered error, so that the texts cannot fill the memory.
  /// Errors with longer texts are not remembered.
  private static let longestText = 1 << 10

  private struct Entry {
    let error: ImageError
    /// The time of the failure in nanoseconds, by `Configuration.environment.clock`.
    let time: Int64
  }

  private var entries = RecentMap<RequestIdentity, Entry>()

  /// Creates an empty memory; by default, it keeps up to 1,000 failures for 5 minutes.
  public init(timeToLive: Double = 300, limit: Int = 1000) {
    self.timeToLive = timeToLive
    self.limit = limit
  }

  var count: Int { entries.count }

  /// Returns the remembered error of a request; `nil` if there is none. O(1).
  func error(for request: RequestIdentity, at now: Int64) -> ImageError? {
    entries[request].flatMap { isAlive($0, at: now) ? $0.error : nil }
  }

  /// Remembers a permanent failure as the newest, and ignores other errors. O(1), amortized.
  mutating func remember(_ error: ImageError, of request: RequestIdentity, at now: Int64) {
    guard error.traits.contains(.permanent), error.statedText.utf8.count <= Self.longestText, limit > 0,
      timeToLive > 0
    else { return }
    remove(request)
    while let oldest = entries.oldest?.value, entries.count >= limit || !isAlive(oldest, at: now) {
      entries.removeOldest()
    }
    entries.insert(Entry(error: error, time: now), for: request)
  }

  /// Forgets the failure of a request. Returns true if a failure was remembered. O(1).
  @discardableResult
  mutating func remove(_ request: RequestIdentity) -> Bool { entries.remove(request) != nil }

  /// Forgets all failures. Returns true if any failure was remembered.
  @discardableResult
  mutating func removeAll() -> Bool {
    defer { self = FailureMemory(timeToLive: timeToLive, limit: limit) }
    return !entries.isEmpty
  }

  private func isAlive(_ entry: Entry, at now: Int64) -> Bool { Double(now &- entry.time) / 1e9 < timeToLive }
}

extension ImageError {
  /// The server's text in the error; empty for most errors.
  fileprivate var statedText: String {
    switch self {
    case .contentType(let type): type
    case .redirectRefused(.badLocation(let text)), .redirectRefused(.scheme(let text)),
      .redirectRefused(.byRule(let text)):
      text
    default: ""
    }
  }
}
