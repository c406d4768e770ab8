import Synchronization
import VitrineConcurrency
import VitrineGraphics

/// A connection of a live stream: sends the request and reads the frames of the response.
final class LiveReceiver: TransportReceiver {
  private struct State {
    var body: LiveBody?
    var stop = AttemptStop()
    /// The number of seconds for which the server asks for a pause.
    var retryAfter: Double?
  }

  let number: Int
  private let engine: LoadEngine
  private let isLocal: Bool
  /// The reservation of the bytes of the frame that is being received.
  private let reservation: MemoryReservation
  private let state = Mutex(State())
  /// Weak, so that a running transfer does not retain a stream that the application has released.
  ///
  /// `nonisolated(unsafe)` is safe because only the initializer sets the property, and because threads may read a weak
  /// reference at the same time.
  nonisolated(unsafe) private weak var runner: LiveRunner?

  init(_ number: Int, for runner: LiveRunner, isLocal: Bool, _ engine: LoadEngine) {
    self.number = number
    self.isLocal = isLocal
    self.runner = runner
    self.engine = engine
    reservation = MemoryReservation(0, in: engine.ledger, as: .bodies)
  }

  // MARK: Start and stop

  /// Sends the request, after the request modifier of the configuration has changed the request.
  func start(_ request: ImageRequest) {
    var headers = request.headers
    if headers["Accept"] == nil {
      headers.append(name: "Accept", value: "multipart/x-mixed-replace," + ImageRequest.defaultAccept)
    }
    let configuration = engine.configuration
    let transportRequest = TransportRequest(
      // The stream has limits of its own for stalls and for the length of a frame.
      url: request.url, headers: headers, bodyLimit: .max,
      timeouts: .init(connect: configuration.timeouts.connect, stall: .infinity, total: .infinity),
      acceptableStatuses: configuration.responses.acceptance.statuses)
    guard let modify = configuration.requests.modifier else { return send(transportRequest) }
    let task = Task<Void, Never> {
      switch await Result.of(ImageError.requestRefused, { try await modify(transportRequest) }) {
      case .success(let request): send(request)
      case .failure(let error): runner?.connectionEnded(self, error, retryAfter: nil)
      }
    }
    // If the transfer has begun by now, the handle of the transfer is kept instead.
    keep(CancellableTask(task), insteadOfAnother: false)
  }

  private func send(_ request: TransportRequest) {
    guard !state.withLock({ $0.stop.isStopped }) else { return }
    do throws(ImageError) {
      let transport = try engine.transports.transport(for: request.url)
      keep(transport.start(request, receiver: self), insteadOfAnother: true)
    } catch {
      runner?.connectionEnded(self, error, retryAfter: nil)
    }
  }

  private func keep(_ handle: any Cancellable, insteadOfAnother: Bool) {
    let isWanted = state.withLock { $0.stop.keep(handle, insteadOfAnother: insteadOfAnother) }
    if !isWanted { handle.cancel() }
  }

  /// Stops the transfer and drops the bytes of an incomplete frame.
  func stop() {
    let handle = state.withLock { state in
      state.body = nil
      return state.stop.stop()
    }
    reservation.end()
    handle?.cancel()
  }

  // MARK: Response

  func transportDidReceive(_ response: TransportResponse) {
    let configuration = engine.configuration
    let isAccepted = response.status.map { status in
      configuration.responses.acceptance.statuses.contains { $0.contains(status) }
    }
    let retryAfter = RetryAfter.seconds(
      response.headers, wallClock: configuration.environment.wallClock)
    let body = LiveBody(response, limit: max(0, configuration.responses.bodyLimit))
    let isWanted = state.withLock { state in
      state.retryAfter = retryAfter
      guard isAccepted != false, !state.stop.isStopped else { return false }
      state.body = body
      return true
    }
    if isWanted { runner?.responded(self, isMultipart: body.isMultipart) }
  }

  func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
    let hasMemory = reserve(bytes.count)
    var isDiscarded = false
    var isEmpty = false
    var frames: [[UInt8]] = []
    let result = state.withLock { state -> Result<Void, ImageError> in
      guard var body = state.body.take() else { return .success(()) }
      defer { state.body = body }
      if !hasMemory {
        guard body.isMultipart else {
          let needed = body.memoryNeeded(for: bytes.count)
          return .failure(.tooLarge(.memory(needed: needed, allowed: reservation.budget)))
        }
        isDiscarded = body.discardFrame()
      }
      defer { isEmpty = body.hasOnlyEmptyParts && frames.isEmpty }
      return Result { () throws(ImageError) in try body.feed(bytes) { frames.append($0.body) } }
    }
    settleReservation()
    guard let runner else { return }
    // A camera that sends nothing but empty parts has stalled.
    if !isEmpty { runner.bytesArrived(self) }
    if isDiscarded { runner.frameDiscarded(self) }
    for frame in frames { runner.frameArrived(self, frame) }
    if case .failure(let error) = result {
      runner.connectionEnded(self, error, retryAfter: nil)
      stop()
    }
  }

  /// Reserves memory for the next bytes, and evicts cached memory if necessary. Returns false if there is no room.
  private func reserve(_ count: Int) -> Bool {
    let needed = state.withLock { $0.body?.memoryNeeded(for: count) ?? 0 }
    let missing = needed.subtractingSaturated(reservation.bytes)
    if missing <= 0 || reservation.reserve(missing, force: false) { return true }
    reservation.evict(toFit: missing)
    return reservation.reserve(missing, force: false)
  }

  /// Sets the reservation to the bytes that are kept.
  private func settleReservation() {
    let used = state.withLock { $0.body?.memoryUsed ?? 0 }
    if reservation.bytes != used { reservation.resize(to: used) }
  }

  func transportWillFail(_ metrics: TransportMetrics) { if !isLocal { engine.count(metrics) } }

  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
    state.releaseAfterLock { $0.stop.end() }
    let (last, retryAfter, isStopped) = state.withLock { state in
      var body = state.body.take()
      var last: MultipartPart?
      if case .success = result { last = body?.finish() }
      return (last, state.retryAfter, state.stop.isStopped)
    }
    reservation.end()
    var error: ImageError?
    switch result {
    case .success(let metrics): if !isLocal { engine.count(metrics) }
    case .failure(let failure): error = failure
    }
    guard let runner, !isStopped else { return }
    if let last { runner.frameArrived(self, last.body) }
    runner.connectionEnded(self, error, retryAfter: retryAfter)
  }
}
