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
  }

  private let monitor: Monitor<State>
  private let heldCount = CountWaiters()

  /// Closed, unless it is to be open at first.
  public init(isOpen: Bool = false) { monitor = Monitor(State(isOpen: isOpen)) }

  /// Lets everyone through, now and from now on.
  public func open() { monitor.withLock { $0.isOpen = true } }

  /// Holds up whoever comes from now on.
  public func close() { monitor.withLock { $0.isOpen = false } }

  /// Blocks the calling thread until the gate is open; for threads of one's own only, never inside a Swift
  /// task.
  public func pass() {
    let isOpen = monitor.withLock { state in
      guard !state.isOpen else { return true }
      state.held += 1
      heldCount.set(state.held)
      return false
    }
    guard !isOpen else { return }
    monitor.wait { state -> Void? in
      guard state.isOpen else { return nil }
      state.held -= 1
      heldCount.set(state.held)
      return ()
    }
  }

  /// Returns as soon as `count` threads are held up at once; at once if they are, or if the task is cancelled.
  public func waitUntilHeld(_ count: Int) async { await heldCount.wait(for: count) }
}
