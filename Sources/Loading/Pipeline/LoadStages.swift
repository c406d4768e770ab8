import VitrineGraphics

// What runs, as a tree: a fetch has decodes, a decode has pictures, a picture has waiters. Each of the first
// three is shared by everyone who needs it and goes when the last of them has gone. A stage is idle while it
// waits for the one before it, and again when it has failed.

/// One caller who waits for a picture.
struct Waiter {
  var picture: PictureID
  var priority: ImageRequest.Priority
  /// Whether it wants to see what has come while the rest is on its way.
  var progressive = ImageRequest.Progressive.none
  /// Does not want the transfer to go on for its sake.
  var isPaused = false
  /// Does with what is here.
  var asksNoServer = false
  /// True for a load that is sent once: it is not retried and not served by a stale response.
  var isProbe = false
  /// True if the load may be served by a stale response while its server is asked.
  var takesCopy = false

  /// What it asks of the stages it waits for.
  var demand: ImageRequest.Priority? { isPaused ? nil : priority }
}

/// Bytes on their way, or here and still needed by a decode.
struct Fetch {
  enum Phase {
    case idle
    /// The disk is asked.
    case lookingUp
    case running
    /// Elsewhere, as a fetch is copied often.
    indirect case received(FetchedBytes)
  }

  var key: RequestIdentity
  var request: ImageRequest
  let lane: DownloadQueue.Lane
  /// Does with what is on disk.
  var asksNoServer: Bool { request.cachePolicy == .cacheOnly }
  var phase = Phase.idle
  var demand = Demand()
  var attempts: Attempts
  /// Out of the queue, since all who wait have paused.
  var isHeld = false
  var decodes: Set<DecodeID> = []
  /// Decodes that still read the bytes.
  var unfinishedDecodes = 0
  var disk = DiskPart()
  /// The one that was under way for the same bytes, and did not serve whoever came.
  var overtaken: FetchID?
  /// Whether a later one has brought them anew: what this one has is for those who wait, and is not kept.
  var isOutdated = false
  /// Whose sizes from before have left memory for what it has brought.
  var replaced: Set<PicturePlace> = []
  /// Its place in the order of the downloads, while the disk is asked.
  var arrival: DownloadQueue.Arrival?
}

/// What has been tried for a fetch so far. Times in nanoseconds.
struct Attempts {
  /// When somebody wanted it first.
  let queued: Int64
  /// After failures that may heal.
  var retries = 0
  /// Whether it was asked for anew because its rest could not be had.
  var hasRestarted = false
  var firstStart: Int64?
  /// When the present try began; nil between two.
  var began: Int64?
  /// Seconds that the tries before it took; what lies between them does not count.
  var spent = 0.0
  /// It does not start before.
  var earliest = Int64.min

  /// Before the first try.
  var secondsQueued: Double { firstStart.map { Double($0 &- queued) / 1e9 } ?? 0 }

  mutating func begin(at now: Int64) {
    began = now
    firstStart = firstStart ?? now
  }

  /// - Parameter paused: The number of seconds for which the transfer waited for memory. They are not counted.
  mutating func end(at now: Int64, paused: Double = 0) {
    if let began { spent += max(0, Double(now &- began) / 1e9 - paused) }
    began = nil
  }
}

/// What a transport brought, or the disk had.
struct FetchedBytes: Sendable {
  var body: [UInt8]
  let response: TransportResponse?
  /// Nil from disk.
  var metrics: TransportMetrics?
  /// Counts the body in memory.
  var hold: MemoryHold?
  /// `.file` for what lies on this machine.
  var source = ImageResponse.Source.network
  var freshness = ImageResponse.Freshness.fresh
  /// To be kept on disk once it has turned out to be a picture.
  var answer: StoredAnswer?
  /// Tells when that is done.
  var storing: StoringSignal?
  /// True if the stored response must be removed (`no-store`).
  var endsStorage = false
}

/// How a transfer ended.
struct FetchEnd: Sendable {
  enum Outcome: Sendable {
    indirect case bytes(FetchedBytes)
    /// What the disk has is good still (304).
    case notModified(TransportResponse, TransportMetrics)
    case failed(ImageError)
    /// The rest of a body cannot be had: ask for all of it.
    case needsWhole
  }

  var outcome: Outcome
  /// The head of the answer, if there was one.
  var response: TransportResponse?
  /// Seconds for which the server wants to be left alone.
  var retryAfter: Double?
  var speaksHTTP2 = false
  /// Whether it brought the rest of a body that was here in part.
  var isRest = false
  /// The number of seconds for which the transfer waited for memory.
  var secondsPaused = 0.0

  /// True if the server has sent a response other than a retryable error.
  var showsThatServerAnswers: Bool {
    switch outcome {
    case .bytes, .notModified, .needsWhole: true
    case .failed(let error): response != nil && !error.mayHeal
    }
  }

  init(_ outcome: Outcome, response: TransportResponse? = nil) {
    self.outcome = outcome
    self.response = response
  }

  /// Another outcome of the same transfer.
  init(_ result: Result<FetchedBytes, ImageError>, like end: FetchEnd) {
    switch result {
    case .success(let bytes): outcome = .bytes(bytes)
    case .failure(let error): outcome = .failed(error)
    }
    response = end.response
    speaksHTTP2 = end.speaksHTTP2
    isRest = end.isRest
    secondsPaused = end.secondsPaused
  }
}

/// Pixels being made, or here and still needed by a picture.
struct Decode {
  enum Phase {
    case idle
    case running
    case decoded(Image)
  }

  var key: DecodeKey
  let fetch: FetchID
  var phase = Phase.idle
  var demand = Demand()
  var pictures: Set<PictureID> = []
  /// What is shown of it until its bytes are all here, by style; of those that somebody wants.
  var parts: [ImageRequest.Progressive: PartialPictures] = [:]
  /// Elsewhere, as a decode is copied often.
  private var boxedBytes: Boxed<FetchedBytes>?

  /// - Parameter fetch: what brings its bytes.
  init(key: DecodeKey, fetch: FetchID) {
    self.key = key
    self.fetch = fetch
  }

  /// What it decodes, or has decoded.
  var bytes: FetchedBytes? {
    get { boxedBytes?.value }
    set { boxedBytes = newValue.map { Boxed($0) } }
  }
}

/// A large value behind one word.
final class Boxed<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// A picture being transformed or put into the cache.
struct Picture {
  enum Phase {
    case idle
    case transforming
    case storing(Image)
  }

  var key: PictureKey
  let decode: DecodeID
  /// The request of the caller who came first, and its additional identifier: the cache is asked in its name.
  var request: ImageRequest
  let additionalIdentifier: String?
  var phase = Phase.idle
  var demand = Demand()
  var waiters: Set<TaskID> = []
}

/// What the registry wants done. The doer reports back with the same number.
enum LoadAction: Sendable {
  /// Ask the disk; report with `lookedUp`.
  case lookUp(FetchID, ImageRequest, ImageRequest.Priority)
  case cancelLookUp(FetchID)
  /// The disk has not answered in time. Report it with `lookUpSkipped`.
  case skipLookUp(FetchID)
  /// The bytes have turned out to be a picture: keep them on disk.
  case keep(FetchedBytes, RequestIdentity)
  /// What the disk has is gone, or no picture.
  case discard(RequestIdentity)
  /// Ask the server for nobody whether what has been shown has changed.
  case revalidate(ImageRequest, additionalIdentifier: String?)
  case startFetch(FetchID, ImageRequest)
  case cancelFetch(FetchID)
  /// Stop a transfer and keep what has come of it: it will be started again, perhaps.
  case pauseFetch(FetchID)
  /// Call `overdueCopies()` and `woken(at:)` at that time.
  case wake(at: Int64)
  /// To all who wait for it.
  case announce([TaskID], ImageTask.Event)
  case decode(DecodeID, [UInt8], DecodeKey, ImageRequest.Priority)
  case transform(PictureID, Image, [any ImageTransform], ImageRequest.Priority)
  /// Drop a decode or a transform that has not begun, or stop a decode that is running.
  case cancelWork(number: UInt64)
  case reprioritizeWork(number: UInt64, ImageRequest.Priority)
  case store(PictureID, Image, ImageRequest, additionalIdentifier: String?)
  /// To these callers, in this order.
  case deliver([TaskID], Result<ImageResponse, ImageError>)
}
