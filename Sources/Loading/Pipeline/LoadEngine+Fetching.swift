import VitrineConcurrency
import VitrineGraphics

// Transfers: an attempt from the start to the end.

extension LoadEngine {
  /// Handles the end of an attempt. An attempt that was given up has no entry in `transfers` any more, and is ignored.
  func fetchEnded(_ receiver: FetchReceiver, _ end: FetchEnd, resumable: ResumableData?) {
    let id = receiver.id
    var end = end
    if dataCache != nil, case .bytes(let bytes) = end.outcome {
      end.outcome = .bytes(storable(bytes, of: receiver))
    }
    guard case .bytes(let bytes) = end.outcome, !bytes.body.isEmpty, let modify = configuration.bodyModifier,
      state.withLock({ $0.transfers[id]?.receiver === receiver })
    else { return settleFetch(receiver, end, resumable) }
    // No other job uses this number while the fetch is running.
    workers.submit(id.number, priority: ImageRequest.Priority.normal.rawValue) { [self, end] in
      let result = Result<[UInt8], ImageError>.of(ImageError.responseRefused) {
        try modify(bytes.body, bytes.response)
      }
      let modified = result.map { body in
        var modified = bytes
        modified.body = body
        return modified
      }
      settleFetch(receiver, FetchEnd(modified, like: end), nil)
    }
  }

  func settleFetch(_ receiver: FetchReceiver, _ end: FetchEnd, _ resumable: ResumableData?) {
    let id = receiver.id
    var end = end
    // A retry has only the remaining time, but the error states the limit that was configured.
    if case .failed(.timedOut(.total)) = end.outcome {
      end.outcome = .failed(.timedOut(.total(seconds: configuration.timeouts.total)))
    }
    if let headers = end.response?.headers {
      end.retryAfter = RetryAfter.seconds(headers, wallClock: configuration.wallClock)
    }
    if case .notModified(let response, let metrics) = end.outcome {
      end.outcome = revalidated(receiver, response, metrics)
    }
    if let retryAfter = end.retryAfter, HostBackOff.isRefusal(end.response?.status, retryAfter: retryAfter),
      let host = state.withLock({ state in
        state.transfers[id]?.receiver === receiver ? state.registry.lane(of: id) : nil
      })
    {
      // Recovery learns of the pause before a slot receives the failure.
      recovery.refused(host, retryAfter: retryAfter)
    }
    var handle: (any Cancellable)?
    var responded: DownloadQueue.Lane?
    perform { state in
      guard state.transfers[id]?.receiver === receiver else { return [] }
      if end.showsThatServerResponds { responded = state.registry.lane(of: id) }
      handle = state.transfers.removeValue(forKey: id)?.handle
      if end.isRest { state.statistics.resumed += 1 }
      if let request = state.registry.request(of: id) {
        switch end.outcome {
        case .bytes(let bytes) where bytes.body.isEmpty:
          state.remember(.emptyBody, of: request, at: state.registry.now)
        case .bytes, .needsWhole, .notModified: break
        case .failed(let error):
          state.remember(error, of: request, at: state.registry.now)
          if let resumable, error.isRetryable {
            state.resumableDataStore.keep(resumable, for: request.identity.asSent)
          }
        }
      }
      return state.registry.fetchEnded(id, end)
    }
    if let responded { recovery.succeeded(responded) }
    // The remaining bytes of a refused response are not needed.
    if !receiver.isEnded { handle?.cancel() }
  }

  /// Called when a transport has reported the end of a transfer, even of a cancelled one.
  func transportEnded() {
    resume(
      state.withLock { state in
        state.openTransfers -= 1
        return state.takeIdleWaiters()
      })
  }

  /// Stops a transfer. Resumable data are kept for later requests.
  func giveUp(_ transfer: Transfer) {
    let resumable = transfer.receiver.abandon()
    if let resumable { state.withLock { $0.resumableDataStore.keep(resumable, for: transfer.identity) } }
    transfer.handle?.cancel()
  }

  func startFetch(_ id: FetchID, _ request: ImageRequest) {
    guard let transfer = prepare(id, request) else { return }
    let receiver = transfer.receiver
    trace.record(.fetchBegan(fetch: id.number))
    let order = order(request, transfer)
    guard let modify = configuration.requestModifier else { return begin(receiver, order) }
    let task = Task { [weak self] in
      let result = await Result.of(ImageError.requestRefused) { try await modify(order) }
      switch result {
      case .success(let order): self?.begin(receiver, order)
      case .failure(let error):
        self?.trace.record(.fetchEnded(fetch: id.number, .init()))
        self?.settleFetch(receiver, FetchEnd(.failed(error)), nil)
      }
    }
    // If the transfer has begun by now, the handle of the transfer is kept instead.
    keep(CancellableTask(task), of: receiver, insteadOfAnother: false)
    limitTime(of: receiver) { _, state in state.transfers[id].map { !$0.hasBegun } ?? false }
  }

  /// Fails the attempt if the response modifier takes longer than `timeouts.total`.
  func limitTime(of receiver: FetchReceiver) {
    limitTime(of: receiver) { receiver, _ in receiver.isModifying }
  }

  private func limitTime(
    of receiver: FetchReceiver, while isModifying: @escaping @Sendable (FetchReceiver, State) -> Bool
  ) {
    let limit = configuration.timeouts.total
    guard limit < 1e9 else { return }
    clock.wake(at: clock.now.advanced(bySeconds: max(0, limit))) { [weak self, weak receiver] in
      guard let self, let receiver, state.withLock({ isModifying(receiver, $0) }) else { return }
      settleFetch(receiver, FetchEnd(.failed(.timedOut(.total(seconds: limit)))), receiver.abandon())
    }
  }

  /// Prepares an attempt with a receiver. Returns `nil` if the fetch is no longer running.
  private func prepare(_ id: FetchID, _ request: ImageRequest) -> Transfer? {
    let isLocal = request.isLocal
    let identity = request.identity.asSent
    let requestsRange = request.headers["Range"] != nil
    let copy = dataCache == nil ? nil : state.withLock { $0.registry.copy(of: id) }
    let validators = requestsRange ? [:] : validators(for: request, copy)
    return state.withLock { state in
      guard state.registry.isRunning(id), state.transfers[id] == nil else { return nil }
      let resumable =
        isLocal || requestsRange || !validators.isEmpty ? nil : state.resumableDataStore.take(identity)
      let expectations = ResponseAssembler.Expectations(
        acceptance: isLocal ? nil : configuration.acceptance, acceptsPartialContent: requestsRange,
        isConditional: !validators.isEmpty, isModified: configuration.responseModifier != nil)
      state.tries += 1
      let receiver = FetchReceiver(
        id: id, isLocal: isLocal,
        assembler: ResponseAssembler(expectations, resuming: resumable, bodyNumber: state.tries),
        configuration: configuration, secondsQueued: state.registry.secondsQueued(id), engine: self)
      for task in state.registry.tasks(of: id).compactMap({ state.tasks[$0] }) { receiver.add(task) }
      let transfer = Transfer(
        receiver: receiver, identity: identity, resumable: resumable?.withoutBytes, validators: validators,
        spent: state.registry.secondsSpent(on: id))
      state.transfers[id] = transfer
      return transfer
    }
  }

  private func order(_ request: ImageRequest, _ transfer: Transfer) -> TransportRequest {
    let resumable = transfer.resumable
    let sentHeaders = request.sentHeaders
    var headers = resumable?.adding(to: sentHeaders) ?? sentHeaders
    for field in transfer.validators.fields { headers[field.name] = field.value }
    var timeouts = configuration.timeouts
    timeouts.total -= transfer.spent
    return TransportRequest(
      url: request.url, headers: headers,
      bodyLimit: max(0, max(0, configuration.bodyLimit) - (resumable?.count ?? 0)),
      timeouts: timeouts,
      // A response modifier may make any status acceptable.
      acceptableStatuses: configuration.responseModifier == nil
        ? configuration.acceptance.statuses + (resumable == nil ? [] : [206...206])
          + (transfer.validators.isEmpty ? [] : [304...304]) : [200...599])
  }

  private func begin(_ receiver: FetchReceiver, _ order: TransportRequest) {
    let exchange =
      dataCache == nil
      ? Exchange() : Exchange(url: order.url, sent: order.headers, requested: configuration.wallClock())
    let isWanted = state.withLock { state in
      guard state.transfers[receiver.id]?.receiver === receiver else { return false }
      state.transfers[receiver.id]?.hasBegun = true
      state.transfers[receiver.id]?.exchange = exchange
      state.openTransfers += 1
      return true
    }
    guard isWanted else { return }
    receiver.countsAsActivity(of: configuration.networkActivity)
    do {
      keep(try transport(for: order.url).start(order, receiver: receiver), of: receiver)
    } catch {
      receiver.transportDidFinish(.failure(error))
    }
  }

  /// Keeps the handle that stops an attempt. Cancels the handle if the attempt was given up before the handle was
  /// known.
  private func keep(_ handle: any Cancellable, of receiver: FetchReceiver, insteadOfAnother: Bool = true) {
    let isStillWanted = state.withLock { state in
      guard state.transfers[receiver.id]?.receiver === receiver else { return false }
      if insteadOfAnother || state.transfers[receiver.id]?.handle == nil {
        state.transfers[receiver.id]?.handle = handle
      }
      return true
    }
    if !isStillWanted { handle.cancel() }
  }
}
