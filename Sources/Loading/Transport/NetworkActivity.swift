import Synchronization
import VitrineConcurrency

/// A counter of running network requests: the transfers of downloaders, and requests of the application itself.
///
/// ```swift
/// let activity = NetworkActivity.shared
/// activity.increment()   // a request of the application
/// activity.decrement()
/// ```
///
/// Files and data URLs do not count. May be used from any thread. `NetworkActivityWatch` shows the activity, with a
/// delay that keeps short requests from flickering.
public final class NetworkActivity: Sendable {
  /// The counter that downloaders use by default.
  public static let shared = NetworkActivity()

  private struct State {
    var count = 0
    var observers = ObserverList<@MainActor () -> Void>()
    var isPosted = false
  }

  private let state = Mutex(State())

  /// Creates a counter at 0.
  public init() {}

  /// The number of running requests; never below 0.
  public var count: Int { state.withLock { $0.count } }

  /// Records that a request has begun.
  public func increment() { change { $0 + 1 } }

  /// Records that a request has ended; does nothing if the count is 0.
  public func decrement() { change { max(0, $0 - 1) } }

  private func change(_ body: (Int) -> Int) {
    let isDue = state.withLock { state in
      let new = body(state.count)
      defer { state.count = new }
      guard new != state.count, !state.observers.isEmpty, !state.isPosted else { return false }
      state.isPosted = true
      return true
    }
    if isDue { MainActorQueue.main.post { self.notifyObservers() } }
  }

  /// Notifies the observers. Changes that occur before the main actor gets here are reported together.
  @MainActor private func notifyObservers() {
    let observers = state.withLock { state in
      state.isPosted = false
      return state.observers.entries
    }
    for observer in observers { observer.handler() }
  }

  /// Calls `change` on the main actor after the count has changed. Returns a number for `endObserving`.
  package func observe(_ change: @escaping @MainActor () -> Void) -> Int {
    state.withLock { $0.observers.add(change) }
  }

  /// Removes an observer; an unknown number is ignored.
  package func endObserving(_ number: Int) { state.releaseAfterLock { $0.observers.remove(number) } }

  /// A request that counts as running until this object is released.
  final class Running: Sendable {
    private let activity: NetworkActivity
    fileprivate init(_ activity: NetworkActivity) {
      self.activity = activity
      activity.increment()
    }
    deinit { activity.decrement() }
  }

  func begin() -> Running { Running(self) }
}
