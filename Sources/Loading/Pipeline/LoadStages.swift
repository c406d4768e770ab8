import VitrineGraphics

// The running loads, as a tree: a fetch has decodes, a decode has processed images (`ProcessedImage`), and an image has
// waiting callers. Fetches, decodes and images are shared by all callers that need them, and are removed with the last
// of these callers. A stage is idle while it waits for the previous stage, and again after a failure.

/// A caller that waits for an image.
struct Waiter {
  var processedImage: ProcessedImageID
  var priority: ImageRequest.Priority
  /// The previews that the caller wants to receive.
  var progressive = ImageRequest.Progressive.none
  /// True if the transfer need not go on for this caller.
  var isPaused = false
  /// True for a cache-only request: the server is not asked.
  var isCacheOnly = false
  /// True for a load that is sent once, without retries, and is not served by a stale response.
  var isProbe = false
  /// True if the load may be served by a stale response while the server is asked.
  var takesCopy = false

  /// The priority that the caller requests of all stages; `nil` while the caller is paused.
  var demand: ImageRequest.Priority? { isPaused ? nil : priority }
}

/// The first stage of a load: bytes that are being fetched, or are received and still needed by a decode.
struct Fetch {
  enum Phase {
    case idle
    /// The fetch waits for a disk look-up.
    case lookingUp
    case running
    /// Indirect, because a fetch is copied often.
    indirect case received(FetchedBytes)
  }

  var key: RequestIdentity
  var request: ImageRequest
  let lane: DownloadQueue.Lane
  /// True for a cache-only request: the server is not asked.
  var isCacheOnly: Bool { request.cachePolicy == .cacheOnly }
  var phase = Phase.idle
  var demand = Demand()
  var attempts: Attempts
  /// True if the fetch was taken out of the queue because all callers have paused.
  var isHeld = false
  var decodes: Set<DecodeID> = []
  /// The number of decodes that still read the bytes.
  var unfinishedDecodes = 0
  var disk = DiskStage()
  /// The earlier fetch with an equal key that was under way and could not serve the request.
  var overtaken: FetchID?
  /// True if a later fetch has brought newer bytes. The image is then delivered to the waiting callers, but not cached.
  var isOutdated = false
  /// The images whose other sizes were removed from a cache, because this fetch has brought newer bytes.
  var replaced: Set<AllSizesKey> = []
  /// The position in the order of downloads, kept during the disk look-up.
  var arrival: DownloadQueue.Arrival?
}

/// The attempts of a fetch so far. Times are in nanoseconds.
struct Attempts {
  /// The time at which a caller first requested the bytes.
  let queued: Int64
  /// The number of retries after retryable failures.
  var retries = 0
  /// True if the fetch has started again without a range or a condition, because the response to such a request was
  /// unusable.
  var hasRestarted = false
  var firstStart: Int64?
  /// The start of the current attempt; `nil` between two attempts.
  var began: Int64?
  /// The duration of all earlier attempts in seconds. The delays between attempts do not count.
  var spent = 0.0
  /// The time before which the next attempt does not start.
  var earliest = Int64.min

  /// The number of seconds between the request and the first attempt; 0 before the first attempt.
  var secondsQueued: Double { firstStart.map { Double($0 &- queued) / 1e9 } ?? 0 }

  mutating func begin(at now: Int64) {
    began = now
    firstStart = firstStart ?? now
  }

  /// - Parameter paused: The number of seconds for which the transfer waited for memory, which do not count.
  mutating func end(at now: Int64, paused: Double = 0) {
    if let began { spent += max(0, Double(now &- began) / 1e9 - paused) }
    began = nil
  }
}

/// The bytes of an image with the metadata, from a transport or from disk.
struct FetchedBytes: Sendable {
  var body: [UInt8]
  let response: TransportResponse?
  /// The metrics of the transfer; `nil` for bytes from disk that were not revalidated.
  var metrics: TransportMetrics?
  /// The reservation of the body in memory.
  var reservation: MemoryReservation?
  /// `.network` or `.disk`. For a file or data URL, the `ImageResponse` reports `.file` instead.
  var source = ImageResponse.Source.network
  var freshness = ImageResponse.Freshness.fresh
  /// The response to store on disk after a successful decode; `nil` if there is nothing to store.
  var storedResponse: StoredResponse?
  /// The signal that is sent when the response has been stored, or has not.
  var storing: StoringSignal?
  /// True if the stored response must be removed (`no-store`).
  var endsStorage = false
}

/// The result of a transfer.
struct FetchEnd: Sendable {
  enum Outcome: Sendable {
    indirect case bytes(FetchedBytes)
    /// The stored response is still valid (304).
    case notModified(TransportResponse, TransportMetrics)
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

  /// True if the server has sent a response other than a retryable error.
  var showsThatServerResponds: Bool {
    switch outcome {
    case .bytes, .notModified, .needsWhole: true
    case .failed(let error): response != nil && !error.isRetryable
    }
  }

  init(_ outcome: Outcome, response: TransportResponse? = nil) {
    self.outcome = outcome
    self.response = response
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
  }
}

/// The second stage of a load: pixels that are being decoded, or are decoded and still needed by an image.
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
  var processedImages: Set<ProcessedImageID> = []
  /// The previews until all bytes have been received, by style, for styles that a caller has requested.
  var previews: [ImageRequest.Progressive: PreviewSchedule] = [:]
  /// Boxed, because a decode is copied often.
  private var boxedBytes: Boxed<FetchedBytes>?

  /// - Parameter fetch: The fetch that brings the bytes.
  init(key: DecodeKey, fetch: FetchID) {
    self.key = key
    self.fetch = fetch
  }

  /// The bytes that are being decoded, or have been decoded.
  var bytes: FetchedBytes? {
    get { boxedBytes?.value }
    set { boxedBytes = newValue.map { Boxed($0) } }
  }
}

/// A large value, held by a reference.
final class Boxed<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// The third stage of a load: an image that is being transformed or stored in a cache.
struct ProcessedImage {
  enum Phase {
    case idle
    case transforming
    case storing(Image)
  }

  var key: ProcessedImageKey
  let decode: DecodeID
  /// The request of the first caller; together with `additionalIdentifier` it is passed to the cache.
  var request: ImageRequest
  let additionalIdentifier: String?
  var phase = Phase.idle
  var demand = Demand()
  var waiters: Set<TaskID> = []
}

/// An action decided by the registry. The engine reports the result with the number of the stage.
enum LoadAction: Sendable {
  /// Look up the disk; report the result with `lookedUp`.
  case lookUp(FetchID, ImageRequest, ImageRequest.Priority)
  case cancelLookUp(FetchID)
  /// Continue without the disk, which has not answered in time; report this with `lookUpSkipped`.
  case skipLookUp(FetchID)
  /// Store the response on disk, because the bytes were decoded successfully.
  case keep(FetchedBytes, RequestIdentity)
  /// Remove the stored response, which is damaged, withdrawn by the server, or must not be stored.
  case discard(RequestIdentity)
  /// Ask the server whether an image that was shown has changed. No caller waits for the response.
  case revalidate(ImageRequest, additionalIdentifier: String?)
  case startFetch(FetchID, ImageRequest)
  case cancelFetch(FetchID)
  /// Stop a transfer that may be started again. Resumable data are kept.
  case pauseFetch(FetchID)
  /// Call `overdueCopies()` and `woken(at:)` at this time.
  case wake(at: Int64)
  /// Report an event to these waiting callers.
  case announce([TaskID], ImageTask.Event)
  case decode(DecodeID, [UInt8], DecodeKey, ImageRequest.Priority)
  case transform(ProcessedImageID, Image, [any ImageTransform], ImageRequest.Priority)
  /// Drop a decode or a transform that has not begun, or stop a decode that is running.
  case cancelWork(number: UInt64)
  case reprioritizeWork(number: UInt64, ImageRequest.Priority)
  case store(ProcessedImageID, Image, ImageRequest, additionalIdentifier: String?)
  /// Report the result to these callers, in this order.
  case deliver([TaskID], Result<ImageResponse, ImageError>)
}
