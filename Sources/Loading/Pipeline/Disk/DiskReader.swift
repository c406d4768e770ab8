import FoundationEssentials
import VitrineConcurrency
import VitrineGraphics

/// Looks up stored responses on threads of its own.
final class DiskReader: Sendable {
  private let cache: (any ImageDataCache)?
  private let pixels: PixelReader?
  private let writer: DiskWriter
  private let transports: TransportTable
  private let rules: StoredResponseRules
  private let bodyModifier: ImageDownloader.BodyModifier?
  private let ledger: MemoryLedger
  private let trace: Trace
  /// The threads, started as needed: two unless the disk is slow.
  private let threads = WorkerPool(threads: LookupLine.threads)
  /// The lookups that have been requested and have not ended or become late, and what follows them.
  private let pending = ConditionLock(Pending())

  private struct Pending {
    /// The count of each lookup or decode among all, by the number of its fetch or decode.
    private var counts: [UInt64: UInt64] = [:]
    private var last: UInt64 = 0
    /// The number of delivered images that are being prepared.
    var preparations = 0

    var isEmpty: Bool { counts.isEmpty && preparations == 0 }

    mutating func insert(_ number: UInt64) -> UInt64 {
      last += 1
      counts[number] = last
      return last
    }

    /// Removes a lookup, unless the fetch has begun another one since the lookup with this count; `nil` for any.
    mutating func remove(_ number: UInt64, count: UInt64? = nil) {
      if count == nil || counts[number] == count { counts[number] = nil }
    }
  }

  /// - Parameters:
  ///   - pixels: The reader of the pixel cache; nil if there is none.
  ///   - writer: The writer, which knows the responses that are being removed.
  ///   - ledger: The ledger that counts the bodies.
  init(
    _ cache: (any ImageDataCache)?, pixels: PixelReader?, writer: DiskWriter, transports: TransportTable,
    rules: StoredResponseRules, configuration: ImageDownloader.Configuration, ledger: MemoryLedger
  ) {
    self.cache = cache
    self.pixels = pixels
    self.writer = writer
    self.transports = transports
    self.rules = rules
    self.ledger = ledger
    bodyModifier = configuration.responses.bodyModifier
    trace = configuration.environment.trace
  }

  /// The images that wait for a lookup, and the use of the body.
  struct Need: Sendable {
    /// The images to look for in the pixel cache; empty if the body is needed in any case.
    var images: [WantedImage] = []
    /// True if the digest of the body is needed even if the response is fresh.
    var needsDigest = false
    /// True if `waitUntilIdle` waits for the lookup. False if slots already show first frames or smaller variants of the
    /// images in the body, or if the lookup is late.
    var isAwaited = true
  }

  /// Looks up the stored response of a request.
  ///
  /// - Parameter completion: Called once on a thread of the reader, unless the lookup is withdrawn. Receives the
  ///   result, and the headers of the stored response, which may be for other request headers.
  func lookUp(
    _ id: FetchID, _ request: ImageRequest, _ priority: ImageRequest.Priority, _ need: Need,
    completion: @escaping @Sendable (DiskFind, HTTPHeaders?) -> Void
  ) {
    let count = need.isAwaited ? pending.withLock(waking: .none) { $0.insert(id.number) } : nil
    threads.submitChained(id.number, priority: priority.rawValue) { [self] in
      trace.record(.lookupBegan(fetch: id.number))
      let (copy, headers) = find(request, need)
      trace.record(.lookupEnded(fetch: id.number, isFound: copy != nil))
      // The end of a lookup starts the next one.
      return { [self] in
        completion(DiskFind(copy: copy), headers)
        if let count { pending.withLock { $0.remove(id.number, count: count) } }
      }
    }
  }

  /// Withdraws a lookup. Returns false if the lookup has begun, which then runs to the end.
  func withdraw(_ id: FetchID) -> Bool {
    let isWithdrawn = threads.cancel(id.number)
    if isWithdrawn { forget(id) }
    return isWithdrawn
  }

  private func find(_ request: ImageRequest, _ need: Need) -> (copy: StoredCopy?, headers: HTTPHeaders?) {
    let identity = transports.onDisk(request.identity)
    guard let cache else { return (nil, nil) }
    let reservation = MemoryReservation(0, in: ledger, as: .bodies)
    // The disk has an earlier response, or none.
    if let held = writer.heldResponse(for: identity) {
      let headers = held.head.response.headers
      guard held.head.matches(request.sentHeaders, credentials: request.identity.credentials) else {
        return (nil, headers)
      }
      reservation.reserveForDisk(held.bodyLength)
      return (held.response.flatMap { copy($0, for: request, need, reservation) }, headers)
    }
    if writer.isRemoving(identity) { return (nil, nil) }
    switch pixels?.find(need.images, of: request, on: identity) ?? .incomplete {
    case .nothing: return (nil, nil)
    case .other(let headers): return (nil, headers)
    case .images(let head, let isRecorded, let images, let firstFrames, let smallerVariants):
      if !isRecorded { writer.recordHead(of: identity) }
      let contents = StoredCopy.Contents(
        isBodyOnDisk: true, digest: head.body, images: images, firstFrames: firstFrames,
        smallerVariants: smallerVariants)
      return (
        rules.copy(head.response, contents, of: request, reservation), head.response.response.headers
      )
    case .incomplete: break
    }
    guard let response = cache.response(for: identity, reserving: { reservation.reserveForDisk($0) }) else {
      return (nil, nil)
    }
    return (copy(response, for: request, need, reservation), response.response.headers)
  }

  private func copy(
    _ response: StoredResponse, for request: ImageRequest, _ need: Need, _ reservation: MemoryReservation
  ) -> StoredCopy? {
    guard let copy = copy(response, for: request, reservation) else { return nil }
    // While the server is asked about the response, the body may be released and read again.
    return need.needsDigest || copy.isStale ? copy.with(cache?.digest(of: response.body)) : copy
  }

  private func copy(
    _ storedResponse: StoredResponse, for request: ImageRequest, _ reservation: MemoryReservation
  ) -> StoredCopy? {
    guard storedResponse.matches(request.sentHeaders, credentials: request.identity.credentials) else {
      return nil
    }
    reservation.reserveForDisk(storedResponse.body.count)
    var body = storedResponse.body
    if let bodyModifier {
      // A stored body that the modifier rejects counts as a miss.
      guard let modified = try? bodyModifier(body, storedResponse.response) else { return nil }
      body = modified
    }
    return rules.copy(storedResponse, .init(body: body), of: request, reservation)
  }

  // MARK: Waiting

  /// Makes `waitUntilIdle` wait for a decode, or for the check of bytes that are not decoded, on another thread.
  func expectDecode(_ id: DecodeID) { pending.withLock(waking: .none) { _ = $0.insert(id.number) } }

  /// Notes that a decode or a check of bytes has ended.
  func endDecode(_ id: DecodeID) { pending.withLock { $0.remove(id.number) } }

  /// Makes `waitUntilIdle` wait for the preparation of an image that has been delivered.
  func expectPreparation() { pending.withLock(waking: .none) { $0.preparations += 1 } }

  /// Notes that a preparation has ended.
  func endPreparation() { pending.withLock { $0.preparations -= 1 } }

  /// Notes that a lookup has ended, or is so late that `waitUntilIdle` does not wait for it.
  func forget(_ id: FetchID) { pending.withLock { $0.remove(id.number) } }

  /// Blocks the calling thread until all lookups have ended and their completions have returned, and until the expected
  /// decodes and preparations have ended, but no longer than `seconds`. Does not wait for late lookups. Returns at once
  /// if there is nothing to wait for.
  func waitUntilIdle(upTo seconds: Double) {
    let end = Trace.systemTime().advanced(bySeconds: seconds)
    pending.wait(
      until: { $0.isEmpty || Trace.systemTime() >= end ? () : nil },
      timeout: { _ in max(0, end - Trace.systemTime()) })
  }
}
