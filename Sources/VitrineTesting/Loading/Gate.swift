import VitrineLoading

/// Holds threads up until the test lets them go: work that is under way stays under way.
///
/// ```swift
/// let gate = Gate()
/// let decoder = FakeDecoder(gate: gate)
/// // … start a load and answer its transfer
/// await gate.waitUntilHeld(1)  // now it is decoding
/// gate.open()
/// ```
public final class Gate: Sendable {
  private struct State {
    var isOpen: Bool
    var held = 0
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let monitor: Monitor<State>

  /// Closed, unless it is to be open at first.
  public init(isOpen: Bool = false) { monitor = Monitor(State(isOpen: isOpen)) }

  /// Lets everyone through, now and from now on.
  public func open() { monitor.withLock { $0.isOpen = true } }

  /// Holds up whoever comes from now on.
  public func close() { monitor.withLock { $0.isOpen = false } }

  /// Blocks the calling thread until the gate is open; for threads of one's own only, never inside a Swift task.
  public func pass() {
    let ready = monitor.withLock { state in
      if !state.isOpen { state.held += 1 }
      let held = state.held
      defer { state.waiting.removeAll { $0.count <= held } }
      return (state.isOpen, state.waiting.filter { $0.count <= held }.map(\.continuation))
    }
    for continuation in ready.1 { continuation.resume() }
    guard !ready.0 else { return }
    monitor.wait { state -> Void? in
      guard state.isOpen else { return nil }
      state.held -= 1
      return ()
    }
  }

  /// Returns as soon as `count` threads are held up at once; at once if they are.
  public func waitUntilHeld(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = monitor.withLock { state in
        if state.held < count { state.waiting.append((count, continuation)) }
        return state.held >= count
      }
      if isThere { continuation.resume() }
    }
  }
}
