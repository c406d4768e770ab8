import VitrineConcurrency
import VitrineGraphics

/// Starts the attempts of fetches, and handles their responses and ends.
struct TransferRunner: Sendable {
  private let state: Shared<LoadState>
  private let rules: StoredResponseRules
  private let workers: WorkerPool
  private let bodies: SharedBodyPool

  /// - Parameter workers: The threads that call the body modifier.
  init(
    _ state: Shared<LoadState>, _ rules: StoredResponseRules, _ workers: WorkerPool, _ bodies: SharedBodyPool
  ) {
    self.state = state
    self.rules = rules
    self.workers = workers
    self.bodies = bodies
  }

  // MARK: Start and stop

  func start(_ id: FetchID, _ request: ImageRequest, for engine: LoadEngine) {
    let storesResponses = engine.dataCache != nil
    let requestsRange = request.headers["Range"] != nil
    let copy = storesResponses ? state.withLock { $0.registry.fetches.disk[id].copy } : nil
    let validators = requestsRange ? [:] : rules.validators(for: request, copy)
    let mayResume = !request.isLocal && !requestsRange
    let hasRequestModifier = engine.configuration.requests.modifier != nil
    let receiver = state.withLock { state in
      state.begin(
        id, resuming: mayResume ? request.identity.asSent : nil, hasRequestModifier: hasRequestModifier
      ) { attempt in
        // If the server has begun to send a newer version than the stored one, the rest of it is requested. A condition
        // would make the server send it from the beginning.
        let resumable = attempt.resumable.flatMap { bytes in
          validators.isEmpty || copy.map { bytes.replaces($0.storedResponse.response) } == true ? bytes : nil
        }
        let condition = resumable == nil ? validators : [:]
        let expectations = ResponseAssembler.Expectations(
          acceptance: request.isLocal ? nil : engine.configuration.responses.acceptance,
          acceptsPartialContent: requestsRange, isConditional: !condition.isEmpty,
          isModified: engine.configuration.responses.modifier != nil)
        return FetchReceiver(
          id: id, Exchange(request, resumable: resumable, validators: condition, spent: attempt.spent),
          assembler: ResponseAssembler(
            expectations, resuming: resumable, bodyNumber: attempt.number, storingIn: bodies.current),
          configuration: engine.configuration, ledger: engine.ledger, secondsQueued: attempt.secondsQueued,
          lock: attempt.lock, delegate: engine)
      }
    }
    receiver?.start(engine.configuration, engine.transports, storesResponses: storesResponses)
  }

  /// Stops an attempt. Resumable data are kept for later requests.
  ///
  /// - Parameter isPause: True if all callers have paused, perhaps for long, so that the data are stored on disk as
  ///   well. The data of a cancelled download are stored only at the end of the program.
  func giveUp(_ receiver: FetchReceiver, isPause: Bool = false, for engine: LoadEngine) {
    if let resumable = receiver.abandon() {
      let exchange = receiver.exchange
      let prepared = prepared(resumable, of: exchange, for: engine)
      state.withLock { $0.attempts.keep(prepared, for: exchange.identity) }
      if isPause { write(prepared, for: exchange.identity, engine) }
    }
    receiver.stop()
  }

  // MARK: Resumable data on disk

  /// Returns resumable data with the head to store on disk, if the data may be stored.
  private func prepared(
    _ resumable: ResumableData, of exchange: Exchange, for engine: LoadEngine
  ) -> ResumableData {
    guard keepsResumableData(engine) else { return resumable }
    var resumable = resumable
    resumable.storedHead = exchange.storedHead(of: resumable)
    return resumable
  }

  private func keepsResumableData(_ engine: LoadEngine) -> Bool {
    engine.dataCache?.preparesFetches == true && state.withLock { $0.attempts.keepsResumableData }
  }

  /// Writes resumable data to disk, unless they were written before or must not be stored.
  private func write(
    _ resumable: ResumableData, for identity: RequestIdentity, _ engine: LoadEngine, isAtEnd: Bool = false
  ) {
    guard let response = resumable.unwrittenResponse else { return }
    engine.diskWriter.storeIncomplete(
      response, for: identity, keeping: resumable.reservation, isAtEnd: isAtEnd)
    state.withLock { $0.attempts.noteWritten(identity) }
  }

  /// Writes the bytes of all running and broken downloads to disk, at the end of the program.
  func storeResumableData(for engine: LoadEngine) {
    guard keepsResumableData(engine) else { return }
    for receiver in state.withLock({ $0.attempts.all }) {
      guard let resumable = receiver.resumableData() else { continue }
      let exchange = receiver.exchange
      write(prepared(resumable, of: exchange, for: engine), for: exchange.identity, engine, isAtEnd: true)
    }
    for (identity, response) in state.withLock({ $0.attempts.takeUnwritten() }) {
      engine.diskWriter.storeIncomplete(response, for: identity, keeping: nil, isAtEnd: true)
    }
  }

  // MARK: Responses

  func responseArrived(_ response: TransportResponse, of receiver: FetchReceiver, for engine: LoadEngine) {
    let transports = engine.transports
    let addsCredentials = transports.addsCredentials
    guard response.headers["Vary"] != nil || addsCredentials else { return }
    // Computed without the lock, for loads that send their request again.
    let request = addsCredentials ? state.withLock { $0.request(of: receiver) } : nil
    let current = request.map { transports.credentials(for: $0) }
    engine.perform {
      $0.responded(
        receiver, response.headers,
        AddedCredentials(sent: addsCredentials ? response.credentials : nil, current: current))
    }
  }

  /// Handles the end of an attempt, after the body modifier has changed the bytes on a worker thread.
  func ended(
    _ receiver: FetchReceiver, _ end: consuming FetchEnd, _ resumable: ResumableData?, for engine: LoadEngine
  ) {
    if engine.dataCache != nil, case .bytes(let bytes) = end.outcome {
      end.outcome = .bytes(rules.storable(bytes, of: receiver.exchange))
    }
    guard let modify = engine.configuration.responses.bodyModifier,
      case .bytes(let bytes) = end.outcome, !bytes.isEmpty,
      state.withLock({ $0.attempts.isCurrent(receiver) })
    else { return settle(receiver, consume end, resumable, for: engine) }
    // No other job uses this number while the fetch is running.
    workers.submit(receiver.id.number, priority: ImageRequest.Priority.normal.rawValue) { [end] in
      let result = Result<[UInt8], ImageError>.of(ImageError.responseRefused) {
        try modify(bytes.body, bytes.response)
      }
      let modified = result.map { body in
        var modified = bytes
        modified.body = body
        return modified
      }
      settle(receiver, FetchEnd(modified, like: end), nil, for: engine)
    }
  }

  private func settle(
    _ receiver: FetchReceiver, _ end: consuming FetchEnd, _ resumable: ResumableData?, for engine: LoadEngine
  ) {
    let resumable = resumable.map { prepared($0, of: receiver.exchange, for: engine) }
    end.complete(engine.configuration)
    if case .notModified(let response, let metrics) = end.outcome {
      end.outcome = revalidated(receiver, response, metrics)
      end.confirmed = imagesInMemory(of: receiver, for: engine)
      // Before the fetch ends: a caller who finds an image stale after that would ask the server again.
      if case .bytes = end.outcome, state.withLock({ $0.attempts.isCurrent(receiver) }) {
        for image in end.confirmed.values { engine.staleImages.update(image, .revalidated) }
      }
    }
    if let retryAfter = end.retryAfter, HostBackOff.isRefusal(end.response?.status, retryAfter: retryAfter),
      let lane = state.withLock({ $0.lane(of: receiver) })
    {
      // Recovery learns of the pause before a slot receives the failure.
      engine.recovery.refused(lane, retryAfter: retryAfter)
    }
    // A response that is not stored releases the lock with the attempt.
    if let lock = end.lock { end.changeBytes { if $0.storedResponse != nil { $0.lock = lock } } }
    var responded: DownloadQueue.Lane?
    var isBroken = false
    engine.perform { state in
      if end.showsThatServerResponds { responded = state.lane(of: receiver) }
      let isCurrent = state.attempts.isCurrent(receiver)
      if isCurrent, end.isRest { engine.countResumed() }
      let actions = state.fetchEnded(receiver, end, resumable: resumable)
      isBroken = resumable != nil && isCurrent && !state.isBetweenAttempts(receiver.id)
      return actions
    }
    if isBroken, case .failed(let error) = end.outcome, error.isRetryable, let resumable {
      write(resumable, for: receiver.exchange.identity, engine)
    }
    if let responded { engine.recovery.succeeded(responded) }
    // The remaining bytes of a refused response are not needed.
    receiver.stop()
  }

  /// Returns the images in memory that were made from the stored response about which the server was asked.
  private func imagesInMemory(
    of receiver: FetchReceiver, for engine: LoadEngine
  ) -> [ProcessedImageID: Image] {
    let (response, images) = state.withLock { $0.registry.imagesOfCopy(receiver.id) }
    guard let response else { return [:] }
    return images.reduce(into: [:]) { found, image in
      found[image.id] = engine.staleImages.image(
        for: image.request, image.additionalIdentifier, madeFrom: response)
    }
  }

  /// Returns the outcome of a 304: the stored response with the updated headers, or `.needsWhole` if the 304 does not
  /// match the stored response, or the stored response was released to make room.
  private func revalidated(
    _ receiver: FetchReceiver, _ response: TransportResponse, _ metrics: TransportMetrics
  ) -> FetchEnd.Outcome {
    guard let copy = state.withLock({ $0.registry.fetches.disk[receiver.id].copy }) else {
      return .needsWhole
    }
    if let bytes = rules.revalidated(copy, by: response, metrics, of: receiver.exchange) {
      return .bytes(bytes)
    }
    state.withLock { $0.dropCopy(of: receiver) }
    return .needsWhole
  }
}
