import VitrineConcurrency
import VitrineGraphics

/// The closures of the application that receive the images and events of a live stream.
struct LiveHandlers: Sendable {
  let onFrame: @MainActor (Image) -> Void
  let onEvent: (@MainActor (LiveImageStream.Event) -> Void)?
}

/// Performs the actions that `LivePlan` decides, with transports, threads, timers and the main actor.
///
/// Images and events reach the main actor in the order in which the plan decided them, whichever threads decided: they
/// are queued with the lock held. Never calls out with the lock held.
final class LiveRunner: Sendable {
  /// A frame that waits, is being decoded, or is to be delivered.
  private struct Frame {
    /// The encoded bytes; empty from the start of decoding on.
    var body: [UInt8]
    /// The reservation of the bytes, which ends when the frame was decoded.
    var reservation: MemoryReservation?
    var job: LiveFrameMaker.Job?
    var image: Image?
  }

  /// A call of the main actor.
  private enum MainActorCall {
    case deliver(Int)
    case report(LiveImageStream.Event)
    case releaseHandlers
  }

  private struct State {
    var plan: LivePlan
    var targetSize: DecodeTarget?
    var connection: LiveReceiver?
    var frames: [Int: Frame] = [:]
    /// The calls that wait for the main actor, in order.
    var calls: [MainActorCall] = []
    /// The handlers; `nil` after the end.
    var handlers: LiveHandlers?
  }

  private let request: ImageRequest
  private let engine: LoadEngine
  private let state: Shared<State>

  init(
    _ request: ImageRequest, _ options: LiveImageStream.Options, _ engine: LoadEngine,
    _ handlers: LiveHandlers
  ) {
    self.request = request
    self.engine = engine
    state = Shared(
      State(
        plan: LivePlan(
          options, connectLimit: engine.configuration.timeouts.connect,
          isOffline: !request.isLocal && engine.isOffline),
        targetSize: request.targetSize, handlers: handlers))
  }

  private var clock: any LoadingClock { engine.clock }

  // MARK: Application

  var isPaused: Bool { state.withLock { $0.plan.isPaused } }
  var hasEnded: Bool { state.withLock { $0.plan.hasEnded } }
  var targetSize: DecodeTarget? {
    get { state.withLock { $0.targetSize } }
    set { state.withLock { $0.targetSize = newValue } }
  }
  var statistics: LiveImageStream.Statistics { state.withLock { $0.plan.statistics } }

  /// Connects, or reports the error with which the stream fails at once.
  func start(_ failure: ImageError?) {
    if let failure { return perform { plan, _ in plan.fail(failure) } }
    engine.liveStreams.add(self)
    // The switch may have changed since it was read.
    setOffline(engine.isOffline)
    perform { $0.start(at: $1) }
  }

  func setPaused(_ isPaused: Bool) { perform { $0.setPaused(isPaused, at: $1) } }

  func cancel() {
    perform { plan, _ in plan.cancel() }
    releaseHandlers()
  }

  // MARK: Downloader

  /// Ends the stream, because the downloader was shut down or released.
  func fail(_ error: ImageError) { perform { plan, _ in plan.fail(error) } }

  func setOffline(_ isOffline: Bool) {
    if !request.isLocal { perform { $0.setOffline(isOffline, at: $1) } }
  }

  func networkReturned() {
    if !request.isLocal { perform { $0.networkReturned(at: $1) } }
  }

  // MARK: Connection

  func responded(_ connection: LiveReceiver, isMultipart: Bool) {
    perform { $0.responded(connection.number, isMultipart: isMultipart, at: $1) }
  }

  func bytesArrived(_ connection: LiveReceiver) {
    let now = clock.now
    state.withLock { $0.plan.bytesArrived(connection.number, at: now) }
  }

  func frameArrived(_ connection: LiveReceiver, _ body: [UInt8]) {
    let reservation = MemoryReservation(body.count, in: engine.ledger, as: .bodies)
    perform { state, _ in
      guard let (frame, actions) = state.plan.frameArrived(connection.number) else { return [] }
      state.frames[frame] = Frame(body: body, reservation: reservation)
      return actions
    }
  }

  func frameDiscarded(_ connection: LiveReceiver) {
    state.withLock { $0.plan.frameDiscarded(connection.number) }
  }

  func connectionEnded(_ connection: LiveReceiver, _ error: ImageError?, retryAfter: Double?) {
    perform { $0.connectionEnded(connection.number, error, retryAfter: retryAfter, at: $1) }
  }

  // MARK: Work

  private func perform(_ decide: (inout LivePlan, Int64) -> [LivePlan.Action]) {
    perform { (state: inout State, now: Int64) in decide(&state.plan, now) }
  }

  private func perform(_ decide: (inout State, Int64) -> [LivePlan.Action]) {
    let now = clock.now
    let (actions, hasFirstCall) = state.withLock { state in
      let wasEmpty = state.calls.isEmpty
      let actions = decide(&state, now)
      state.calls += actions.compactMap(Self.mainActorCall)
      return (actions, wasEmpty && !state.calls.isEmpty)
    }
    if hasFirstCall { MainActorQueue.main.post { [weak self] in self?.performCalls() } }
    for action in actions {
      switch action {
      case .connect(let number): connect(number)
      case .disconnect(let number): disconnect(number)
      case .decode(let frame): decode(frame)
      case .stopDecoding(let frame), .drop(let frame):
        let job = state.withLock { $0.frames.removeValue(forKey: frame) }?.job
        if let job { engine.liveFrames.cancel(job) }
      case .wake(let time):
        clock.wake(at: time) { [weak self] in self?.perform { $0.woken(at: $1) } }
      case .deliver, .report, .end: break
      }
    }
  }

  private static func mainActorCall(for action: LivePlan.Action) -> MainActorCall? {
    switch action {
    case .deliver(let frame): .deliver(frame)
    case .report(let event): .report(event)
    case .end: .releaseHandlers
    case .connect, .disconnect, .decode, .stopDecoding, .drop, .wake: nil
    }
  }

  private func connect(_ number: Int) {
    let receiver = LiveReceiver(number, for: self, isLocal: request.isLocal, engine)
    // Another thread may have paused or ended the stream.
    let isWanted = state.withLock { state in
      guard state.plan.connection == number else { return false }
      state.connection = receiver
      return true
    }
    if isWanted { receiver.start(request) }
  }

  private func disconnect(_ number: Int) {
    let receiver = state.withLock { $0.connection?.number == number ? $0.connection.take() : nil }
    receiver?.stop()
  }

  private func decode(_ frame: Int) {
    guard
      let (body, reservation, targetSize) = state.withLock({
        state -> ([UInt8], MemoryReservation?, DecodeTarget?)? in
        guard let waiting = state.frames[frame] else { return nil }
        state.frames[frame]?.body = []
        return (waiting.body, state.frames[frame]?.reservation.take(), state.targetSize)
      })
    else { return }
    var request = request
    request.targetSize = targetSize
    let job = engine.liveFrames.make(body, request) { [weak self] result in
      reservation?.end()
      self?.decoded(frame, result)
    }
    let isWanted = state.withLock { state in
      guard state.frames[frame] != nil else { return false }
      state.frames[frame]?.job = job
      return true
    }
    if !isWanted { engine.liveFrames.cancel(job) }
  }

  private func decoded(_ frame: Int, _ result: Result<Image, ImageError>) {
    var error: ImageError?
    if case .failure(let failure) = result { error = failure }
    perform { state, _ in
      switch result {
      case .success(let image): state.frames[frame]?.image = image
      case .failure: state.frames[frame] = nil
      }
      return state.plan.decoded(frame, error)
    }
  }

  // MARK: Handlers

  /// Performs the calls that have been queued; those that are queued meanwhile follow in a turn of their own.
  @MainActor private func performCalls() {
    let calls = state.withLock { state in
      defer { state.calls = [] }
      return state.calls
    }
    for call in calls {
      switch call {
      case .deliver(let frame): deliver(frame)
      case .report(let event): state.withLock { $0.handlers }?.onEvent?(event)
      case .releaseHandlers: releaseHandlers()
      }
    }
  }

  @MainActor private func deliver(_ frame: Int) {
    let (image, handlers) = state.withLock { state in
      let image = state.frames.removeValue(forKey: frame)?.image
      return (state.plan.mayDeliver(frame) ? image : nil, state.handlers)
    }
    if let image, let handlers { handlers.onFrame(image) }
    perform { plan, _ in plan.delivered(frame) }
  }

  private func releaseHandlers() {
    state.releaseAfterLock { $0.handlers.take() }
  }
}
