import VitrineGraphics

/// A stored response, read from disk. A class, so that the state of a fetch, which is copied often, holds only a
/// reference.
final class StoredCopy: Sendable {
  /// The condition for showing a stored response.
  enum Showing: Sendable {
    /// The response is shown without asking the server.
    case immediately
    /// The response is shown at once, while the server is asked.
    case whileRevalidating
    /// The response is shown after the server has responded to a conditional request with a 304.
    case afterRevalidation
  }

  /// The parts of a stored response that were read.
  struct Contents: Sendable {
    /// The bytes to decode: the stored body, or the result of the body modifier. Empty if `isBodyOnDisk` is true.
    var body: [UInt8] = []
    /// True if the body has not been read, because the pixel cache had all images, or has been released.
    var isBodyOnDisk = false
    /// The digest of the stored body; `nil` if the disk cache has none.
    var digest: BodyDigest?
    /// The images that the pixel cache has of the body.
    var images: [ProcessedImageKey: Image] = [:]
    /// The first frames that the pixel cache has of animations in the body.
    var firstFrames: [ProcessedImageKey: Image] = [:]
    /// Smaller variants of images that the pixel cache does not have in the requested size.
    var smallerVariants: [ProcessedImageKey: Image] = [:]

    /// True if there are images from the pixel cache.
    var hasImages: Bool { !images.isEmpty || !firstFrames.isEmpty || !smallerVariants.isEmpty }

    /// The number of bytes in memory.
    var byteCount: Int {
      let all = [images, firstFrames, smallerVariants].joined()
      return all.reduce(body.count) { $0.addingSaturated($1.value.cost) }
    }
  }

  /// The stored response, with an empty body if the body was not read.
  let storedResponse: StoredResponse
  let contents: Contents
  let showing: Showing
  /// The number of seconds since the response was last known to be valid; 0 if unknown.
  let age: Double
  /// True if the response may be shown when the server cannot be reached or fails.
  let mayShowOnError: Bool
  let reservation: MemoryReservation?
  /// True if the response came through a redirect.
  let isRedirected: Bool

  init(
    _ storedResponse: StoredResponse, _ contents: Contents, at now: Double, rules: FreshnessRules,
    isRedirected: Bool = false, reservation: MemoryReservation? = nil
  ) {
    self.storedResponse = storedResponse
    self.contents = contents
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

  /// Creates a stored response with other contents and the standing of `copy`.
  private init(_ copy: StoredCopy, _ contents: Contents, reservation: MemoryReservation?) {
    var storedResponse = copy.storedResponse
    if contents.isBodyOnDisk { storedResponse.body = [] }
    self.storedResponse = storedResponse
    self.contents = contents
    self.reservation = reservation
    (showing, age, mayShowOnError) = (copy.showing, copy.age, copy.mayShowOnError)
    isRedirected = copy.isRedirected
  }

  /// The stored response without its body and images, which are read again when they are needed.
  var head: StoredCopy {
    StoredCopy(self, Contents(isBodyOnDisk: true, digest: contents.digest), reservation: nil)
  }

  /// True if the server is asked about the response.
  var isStale: Bool { if case .immediately = showing { false } else { true } }

  /// Returns the stored response with the digest of its body.
  func with(_ digest: BodyDigest?) -> StoredCopy {
    var contents = contents
    contents.digest = digest
    return StoredCopy(self, contents, reservation: reservation)
  }

  /// Returns the stored response for a fetch whose identity has changed, because the response names headers in `Vary`.
  func renamed(to identity: RequestIdentity) -> StoredCopy {
    guard contents.hasImages else { return self }
    func renamed(_ images: [ProcessedImageKey: Image]) -> [ProcessedImageKey: Image] {
      Dictionary(images.map { ($0.key.with(identity), $0.value) }) { first, _ in first }
    }
    var contents = contents
    contents.images = renamed(contents.images)
    contents.firstFrames = renamed(contents.firstFrames)
    contents.smallerVariants = renamed(contents.smallerVariants)
    return StoredCopy(self, contents, reservation: reservation)
  }

  /// Creates a stored response whose body was read.
  convenience init(
    _ storedResponse: StoredResponse, body: [UInt8], at now: Double, rules: FreshnessRules,
    isRedirected: Bool = false, reservation: MemoryReservation? = nil
  ) {
    self.init(
      storedResponse, Contents(body: body), at: now, rules: rules, isRedirected: isRedirected,
      reservation: reservation)
  }

  /// The bytes to decode while the response is fresh.
  var freshBytes: FetchedBytes {
    var bytes = bytes(storedResponse, .fresh)
    bytes.age = age
    return bytes
  }

  /// The bytes to decode after another process has asked the server.
  var confirmedBytes: FetchedBytes { bytes(storedResponse, .revalidated) }

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
      body: contents.body, isBodyOnDisk: contents.isBodyOnDisk, digest: contents.digest,
      images: contents.images, firstFrames: contents.firstFrames,
      smallerVariants: contents.smallerVariants, response: storedResponse.response,
      reservation: reservation, source: .disk, freshness: freshness)
  }
}
