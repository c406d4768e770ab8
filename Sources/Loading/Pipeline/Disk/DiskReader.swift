import FoundationEssentials
import VitrineConcurrency
import VitrineGraphics

/// Looks up stored responses on threads of its own.
final class DiskReader: Sendable {
  private let cache: (any ImageDataCache)?
  private let writer: DiskWriter
  private let transports: TransportTable
  private let rules: StoredResponseRules
  private let bodyModifier: ImageDownloader.BodyModifier?
  private let ledger: MemoryLedger
  private let trace: Trace
  /// The threads, started as needed: two unless the disk hangs.
  private let threads = WorkerPool(threads: LookupLine.threads)

  /// - Parameters:
  ///   - writer: The writer, which knows the responses that are being removed.
  ///   - ledger: The ledger that counts the bodies.
  init(
    _ cache: (any ImageDataCache)?, writer: DiskWriter, transports: TransportTable,
    rules: StoredResponseRules, configuration: ImageDownloader.Configuration, ledger: MemoryLedger
  ) {
    self.cache = cache
    self.writer = writer
    self.transports = transports
    self.rules = rules
    self.ledger = ledger
    bodyModifier = configuration.responses.bodyModifier
    trace = configuration.environment.trace
  }

  /// Looks up the stored response of a request.
  ///
  /// - Parameter completion: Called once on a thread of the reader, unless the lookup is withdrawn. Receives the
  ///   result, and the headers of the stored response, which may be for other request headers.
  func lookUp(
    _ id: FetchID, _ request: ImageRequest, _ priority: ImageRequest.Priority,
    completion: @escaping @Sendable (DiskFind, HTTPHeaders?) -> Void
  ) {
    threads.submit(id.number, priority: priority.rawValue) { [self] in
      trace.record(.lookupBegan(fetch: id.number))
      let reservation = MemoryReservation(0, in: ledger, as: .bodies)
      let storedResponse = storedResponse(for: request) { reservation.reserveForDisk($0) }
      let find = DiskFind(copy: storedResponse.flatMap { copy($0, for: request, reservation) })
      trace.record(.lookupEnded(fetch: id.number, isFound: find.copy != nil))
      completion(find, storedResponse?.response.headers)
    }
  }

  /// Withdraws a lookup. Returns false if the lookup has begun, which then runs to the end.
  func withdraw(_ id: FetchID) -> Bool { threads.cancel(id.number) }

  private func storedResponse(
    for request: ImageRequest, reserving reserve: (Int) -> Void
  ) -> StoredResponse? {
    let identity = transports.onDisk(request.identity)
    guard !writer.isRemoving(identity) else { return nil }
    return cache?.response(for: identity, reserving: reserve)
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
    return rules.copy(storedResponse, body: body, of: request, reservation)
  }
}
