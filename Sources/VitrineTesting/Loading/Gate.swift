import VitrineConcurrency
import VitrineLoading

/// A gate that blocks threads until opened by the test, to hold running work at a known point.
///
/// ```swift
/// let gate = Gate()
/// let decoder = FakeDecoder(gate: gate)
/// // … start a load and respond to its transfer
/// await gate.waitUntilHeld(1)  // now the load is decoding
/// gate.open()
/// ```
public final class Gate: Sendable {
  private struct State {
    var isOpen: Bool
    var heldThreadCount = 0
  }

  private let lock: ConditionLock<State>
  private let heldWaiters = CountWaiters()

  /// Creates a gate, which is closed by default.
  public init(isOpen: Bool = false) { lock = ConditionLock(State(isOpen: isOpen)) }

  /// Releases all blocked threads, and lets later ones pass.
  public func open() { lock.withLock { $0.isOpen = true } }

  /// Blocks the threads that call `pass()` from now on.
  public func close() { lock.withLock { $0.isOpen = false } }

  /// Blocks the calling thread while the gate is closed. Must not be called in a Swift task, because it would block a
  /// thread of the cooperative pool.
  public func pass() {
    let isOpen = lock.withLock { state in
      guard !state.isOpen else { return true }
      state.heldThreadCount += 1
      heldWaiters.set(state.heldThreadCount)
      return false
    }
    guard !isOpen else { return }
    lock.wait { state -> Void? in
      guard state.isOpen else { return nil }
      state.heldThreadCount -= 1
      heldWaiters.set(state.heldThreadCount)
      return ()
    }
  }

  /// Returns when at least `count` threads are blocked at once, or when the task is cancelled.
  public func waitUntilHeld(_ count: Int) async { await heldWaiters.wait(for: count) }
}
