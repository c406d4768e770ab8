import VitrineLoading

/// The loads of a slot: the current load with its next step, the detached loads, and the loads that have ended.
struct SlotLoads {
  /// The next step of the current load.
  enum Step {
    case none
    /// The image is looked up in memory, because the view has a size now or has grown.
    case lookUp
    /// The load starts if the view has a size.
    case start
    /// The image is requested from the downloader; `isFirst` is false for a load that is requested again.
    case request(isFirst: Bool)
  }

  /// The current load; `nil` if the slot does not load.
  private(set) var current: SlotLoad?
  /// True once the current load has been requested from the downloader; false while the view has no size.
  private(set) var isStarted = false
  private var step = Step.none
  /// Loads that continue beside a newer load, without being shown.
  private var detached: [SlotLoad] = []
  /// A started load that is no longer current.
  private var ended: SlotLoad?
  private var cancelled: [SlotLoad] = []

  /// The current load and the detached loads.
  var running: [SlotLoad] { (current.map { [$0] } ?? []) + detached }

  /// True if `load` is the current load and has not started.
  func isWaiting(_ load: SlotLoad) -> Bool { current === load && !isStarted }

  // MARK: The current load

  /// Makes a load the current one. There is none before.
  mutating func begin(_ load: SlotLoad, _ step: Step) {
    current = load
    self.step = step
  }

  /// Continues a waiting load after the lookup in memory.
  mutating func lookedUp() { step = .start }

  /// Starts a load, unless it has been replaced or started meanwhile.
  mutating func start(_ load: SlotLoad) {
    guard isWaiting(load) else { return }
    isStarted = true
    step = .request(isFirst: true)
  }

  /// Requests the image of the current load again.
  mutating func restart() { if isStarted { step = .request(isFirst: false) } }

  /// Continues a load that has waited for a size, or requests a much larger image from the downloader.
  ///
  /// - Parameter isRunning: True if the task of the current load has no result yet.
  mutating func sizeChanged(in scene: SlotScene, isRunning: Bool) {
    guard let current else { return }
    if !isStarted {
      if case .none = step { step = .lookUp }
    } else if isRunning, current.slotRequest.request.targetSize == nil,
      scene.needed.isMuchMore(than: current.slotRequest.size)
    {
      restart()
    }
  }

  // MARK: Ends

  /// Ends the current load, because its result is known.
  mutating func end() {
    if isStarted { ended = current }
    current = nil
    isStarted = false
    step = .none
  }

  /// Cancels the current load and the detached loads, or, if `detaches` is true, detaches the current load. A load that
  /// has not started, that only refreshes the shown image, or of a live stream is cancelled in any case.
  mutating func abandon(detaches: Bool, _ completions: inout PendingCompletions) {
    if let current {
      if detaches, isStarted, current.slotRequest.mayDetach {
        detached.append(current)
      } else {
        cancel(current, &completions)
      }
      end()
    }
    if !detaches { cancelDetached(&completions) }
  }

  mutating func cancelDetached(_ completions: inout PendingCompletions) {
    for load in detached { cancel(load, &completions) }
    detached.removeAll()
  }

  private mutating func cancel(_ load: SlotLoad, _ completions: inout PendingCompletions) {
    load.handlers.settle(.failure(.cancelled))
    completions.expect(load.handlers)
    cancelled.append(load)
  }

  /// Removes a detached load that has ended. Returns false if the load was cancelled before.
  mutating func endDetached(_ load: SlotLoad) -> Bool {
    guard let index = detached.firstIndex(where: { $0 === load }) else { return false }
    detached.remove(at: index)
    return true
  }

  // MARK: Effects

  /// Returns the next effect on a load that has ended.
  mutating func nextEnd() -> SlotEffect? {
    if let load = ended {
      ended = nil
      return .end(load)
    }
    return cancelled.isEmpty ? nil : .cancel(cancelled.removeFirst())
  }

  /// Returns the next step of the current load.
  mutating func nextStep() -> SlotEffect? {
    guard let current else { return nil }
    let step = step
    self.step = .none
    switch step {
    case .none: return nil
    case .lookUp: return .lookUp(current)
    case .start: return .start(current)
    case .request(let isFirst): return .request(current, isFirst: isFirst)
    }
  }
}
