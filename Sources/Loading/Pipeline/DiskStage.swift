import VitrineGraphics

/// The state of a fetch with regard to the disk cache.
struct DiskStage {
  /// The use of the stored response that the cache policy of a request allows, the strictest first.
  enum Use: Int, Comparable {
    /// No use: the request needs a response of the server.
    case none
    /// In a conditional request, which asks the server whether the image has changed.
    case conditional
    /// Any use that the response headers and the freshness rules allow.
    case byFreshness

    init(_ policy: ImageRequest.CachePolicy) {
      switch policy {
      case .useCache, .cacheOnly: self = .byFreshness
      case .refresh: self = .conditional
      case .reload: self = .none
      }
    }

    static func < (a: Use, b: Use) -> Bool { a.rawValue < b.rawValue }
  }

  /// The strictest cache policy among the requests that joined this fetch.
  var use = Use.byFreshness
  /// True while a disk look-up waits that precedes the network request.
  var isLookedUp = false
  /// True if the network request was started before the disk look-up has ended. The look-up may still end.
  var isLate = false
  /// The error of the server, while the fetch waits for a late look-up to show the stored response instead.
  var serverError: ImageError?
  /// True if the request of a caller uses the disk cache, so that the response is stored.
  var isKept = false
  /// True once the disk cache is up to date with the received bytes: the response was stored, or the stored response
  /// was removed because storing is forbidden.
  var isSettled = false
  /// The stored response that the server is asked about, and that is shown if the server fails.
  var copy: StoredCopy?
  /// True if `copy` was released to make room while no caller needed the image. The disk is then asked again.
  var isReleased = false
  /// The time at which callers get the stored response if the server has not answered.
  var copyDeadline: Int64?
  /// The error of a decode that found the bytes damaged, while other decodes still read the bytes.
  var damage: ImageError?
  /// True if damaged bytes were fetched again from the server, which is done only once.
  var wasHealed = false
}

/// A stored response, read from disk. A class, because values with a reference to the response are copied often.
final class StoredCopy: Sendable {
  /// The condition for showing a stored response.
  enum Showing: Sendable {
    /// The response is shown without asking the server.
    case immediately
    /// The response is shown at once, while the server is asked.
    case whileRevalidating
    /// The response is shown after the server has answered a conditional request with a 304.
    case afterRevalidation
  }

  let storedResponse: StoredResponse
  /// The bytes to decode: the stored body, or the result of the body modifier.
  let body: [UInt8]
  let showing: Showing
  /// The number of seconds since the response was last known to be valid; 0 if unknown.
  let age: Double
  /// True if the response may be shown when the server cannot be reached or fails.
  let mayShowOnError: Bool
  /// The reservation of the body in memory.
  let reservation: MemoryReservation?
  /// True if the response came through a redirect.
  let isRedirected: Bool

  init(
    _ storedResponse: StoredResponse, body: [UInt8], at now: Double, rules: FreshnessRules,
    isRedirected: Bool = false, reservation: MemoryReservation? = nil
  ) {
    self.storedResponse = storedResponse
    self.body = body
    self.reservation = reservation
    self.isRedirected = isRedirected
    switch storedResponse.standing(at: now, rules: rules, isRedirected: isRedirected) {
    case .fresh:
      (showing, age, mayShowOnError) = (.immediately, storedResponse.age(at: now) ?? 0, true)
    case .stale(let age, let mayShowWhileRevalidating, let mayShowOnError):
      showing = mayShowWhileRevalidating ? .whileRevalidating : .afterRevalidation
      (self.age, self.mayShowOnError) = (age, mayShowOnError)
    }
  }

  /// The bytes to decode while the response is fresh.
  var freshBytes: FetchedBytes { bytes(storedResponse, .fresh) }

  /// The bytes to decode for a cache-only request, fresh or stale.
  var bytesAsTheyAre: FetchedBytes { if case .immediately = showing { freshBytes } else { staleBytes() } }

  /// Returns the bytes to decode for a stale response.
  func staleBytes(because reason: ImageError? = nil) -> FetchedBytes {
    bytes(storedResponse, .stale(age: age, reason: reason))
  }

  /// Returns the bytes to decode after the server has confirmed the response with a 304.
  func bytes(revalidatedAs storedResponse: StoredResponse, _ metrics: TransportMetrics) -> FetchedBytes {
    var bytes = bytes(storedResponse, .revalidated)
    bytes.metrics = metrics
    return bytes
  }

  private func bytes(_ storedResponse: StoredResponse, _ freshness: ImageResponse.Freshness) -> FetchedBytes {
    FetchedBytes(
      body: body, response: storedResponse.response, reservation: reservation, source: .disk,
      freshness: freshness)
  }
}

/// The result of a disk look-up.
struct DiskFind: Sendable {
  var copy: StoredCopy?
  /// The remembered failure of an earlier request, if the server refused that a short time ago.
  var failure: ImageError?
  /// True if the head of a response has come from the network.
  var serverHasResponded = false
}
