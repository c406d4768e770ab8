import VitrineGraphics

/// What a fetch has to do with the disk. Decides only.
struct DiskPart {
  /// What those who wait allow to be made of what the disk has.
  enum Use: Int, Comparable {
    /// Nothing: a request for an answer of the server's own.
    case none
    /// A question to the server, whether it has changed.
    case question
    /// Whatever its server allows.
    case asServerSays

    init(_ policy: ImageRequest.CachePolicy) {
      switch policy {
      case .useCache, .cacheOnly: self = .asServerSays
      case .refresh: self = .question
      case .reload: self = .none
      }
    }

    static func < (a: Use, b: Use) -> Bool { a.rawValue < b.rawValue }
  }

  /// Of all who have waited for it, what the strictest allows.
  var use = Use.asServerSays
  /// Whether the disk is to be asked before a transport.
  var isLookedUp = false
  /// True if the network request was started before the disk has answered. The disk may still answer.
  var isLate = false
  /// The error of the server, while the fetch waits for a late look-up to show the stored response instead.
  var serverError: ImageError?
  /// Whether somebody wants it to be kept.
  var isKept = false
  /// Whether the bytes that are here have been kept, or what was there has gone since they may not be.
  var isSettled = false
  /// What the server is asked about, and what is shown if it does not answer.
  var copy: StoredCopy?
  /// True if `copy` was released to make room while no caller needed the image. The disk is then asked again.
  var isReleased = false
  /// The time at which callers get the stored response if the server has not answered.
  var copyDeadline: Int64?
  /// That the bytes are no picture, which somebody else is still decoding.
  var damage: ImageError?
  /// Whether what the disk had was damaged: it is fetched anew once.
  var wasHealed = false
}

/// An answer on disk. A class, as what holds one is copied often.
final class StoredCopy: Sendable {
  enum Showing: Sendable {
    /// Without asking its server.
    case asFresh
    /// At once, while its server is asked.
    case whileAsking
    /// When its server has said that it is good still.
    case onceAsked
  }

  let answer: StoredAnswer
  /// To be decoded: the body, or what a modifier makes of it.
  let body: [UInt8]
  let showing: Showing
  /// Seconds since it was last known to be good.
  let age: Double
  /// Whether it is shown when the server cannot be reached or fails.
  let mayShowOnError: Bool
  /// Counts its body in memory.
  let hold: MemoryHold?
  /// Whether a redirect led to it.
  let isFromElsewhere: Bool

  init(
    _ answer: StoredAnswer, body: [UInt8], at now: Double, rules: FreshnessRules,
    isFromElsewhere: Bool = false, hold: MemoryHold? = nil
  ) {
    self.answer = answer
    self.body = body
    self.hold = hold
    self.isFromElsewhere = isFromElsewhere
    switch answer.standing(at: now, rules: rules, isFromElsewhere: isFromElsewhere) {
    case .fresh:
      (showing, age, mayShowOnError) = (.asFresh, answer.age(at: now) ?? 0, true)
    case .stale(let age, let mayShowWhileRevalidating, let mayShowOnError):
      showing = mayShowWhileRevalidating ? .whileAsking : .onceAsked
      (self.age, self.mayShowOnError) = (age, mayShowOnError)
    }
  }

  /// To be decoded, since its time has not run out.
  var freshBytes: FetchedBytes { bytes(answer, .fresh) }

  /// To be decoded for those who ask no server.
  var bytesAsTheyAre: FetchedBytes { if case .asFresh = showing { freshBytes } else { staleBytes() } }

  /// To be decoded, though it may have changed.
  func staleBytes(because reason: ImageError? = nil) -> FetchedBytes {
    bytes(answer, .stale(age: age, reason: reason))
  }

  /// To be decoded, since a server has said that it is good still.
  func bytes(revalidatedAs answer: StoredAnswer, _ metrics: TransportMetrics) -> FetchedBytes {
    var bytes = bytes(answer, .revalidated)
    bytes.metrics = metrics
    return bytes
  }

  private func bytes(_ answer: StoredAnswer, _ freshness: ImageResponse.Freshness) -> FetchedBytes {
    FetchedBytes(body: body, response: answer.response, hold: hold, source: .disk, freshness: freshness)
  }
}

/// What a look at the disk has found.
struct DiskFind: Sendable {
  var copy: StoredCopy?
  /// Why the server refused it not long ago.
  var failure: ImageError?
  /// True if the head of a response has come from the network.
  var serverHasAnswered = false
}

extension ImageError {
  /// Whether what is on disk may be shown in place of an answer: not when the server has answered that there is no such
  /// picture, or none for this client (RFC 5861, 4).
  var isNoAnswer: Bool {
    switch self {
    case .status(let status): !(400...499).contains(status) || [407, 408, 425, 429].contains(status)
    case .transport, .timedOut, .untrustedServer, .proxyFailed, .contentType, .redirectRefused, .emptyBody,
      .notAnImage, .decoding, .invalidData:
      true
    case .cancelledLoad, .invalidURL, .unsupportedScheme, .requestRefused, .responseRefused, .unreadableFile,
      .encoding, .tooLarge, .transform, .notCached, .notConfigured, .shutDown:
      false
    }
  }

  /// True if the server reports that the image does not exist, or not for this client. The stored response is then
  /// removed, and is not shown when the server fails later.
  var endsStorage: Bool {
    if case .status(let status) = self { [401, 403, 404, 410, 451].contains(status) } else { false }
  }

  /// Whether bytes that bring it are no picture, whoever decodes them.
  var isDamage: Bool {
    switch self {
    case .emptyBody, .notAnImage, .decoding, .invalidData: true
    default: false
    }
  }
}
