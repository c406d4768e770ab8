import Synchronization

/// Counts what is under way on the network: the transfers of downloaders, and what a program does itself.
///
/// ```swift
/// let activity = NetworkActivity.shared
/// activity.increment()   // a request of one's own
/// activity.decrement()
/// ```
///
/// Files and data URLs do not count. May be used from any thread. What shows it, with a delay that keeps short
/// requests from flickering, is `NetworkActivityWatch`.
public final class NetworkActivity: Sendable {
  /// What all downloaders count in unless they are told otherwise.
  public static let shared = NetworkActivity()

  private struct State {
    var count = 0
    var observers: [Int: @MainActor () -> Void] = [:]
    var lastObserver = 0
    var isPosted = false
  }

  private let state = Mutex(State())

  /// A counter at 0.
  public init() {}

  /// How many requests are under way; never below 0 (AF-A14).
  public var count: Int { state.withLock { $0.count } }

  /// A request has begun.
  public func increment() { change { $0 + 1 } }

  /// A request has ended; at 0 this does nothing.
  public func decrement() { change { max(0, $0 - 1) } }

  private func change(_ body: (Int) -> Int) {
    let isDue = state.withLock { state in
      let new = body(state.count)
      defer { state.count = new }
      guard new != state.count, !state.observers.isEmpty, !state.isPosted else { return false }
      state.isPosted = true
      return true
    }
    if isDue { Mailbox.main.post { self.tell() } }
  }

  /// Changes that come before the main actor has heard of the first are told as one.
  @MainActor private func tell() {
    let observers = state.withLock { state in
      state.isPosted = false
      return state.observers.sorted { $0.key < $1.key }.map(\.value)
    }
    for observer in observers { observer() }
  }

  /// Calls `change` on the main actor after the count has changed. Returns a number for `endObserving`.
  package func observe(_ change: @escaping @MainActor () -> Void) -> Int {
    state.withLock { state in
      state.lastObserver += 1
      state.observers[state.lastObserver] = change
      return state.lastObserver
    }
  }

  /// Ends the calls of an observer; an unknown number is ignored.
  package func endObserving(_ number: Int) {
    let observer = state.withLock { $0.observers.removeValue(forKey: number) }
    _ = observer  // goes here, outside the lock
  }

  /// A request that counts until it is let go, whatever becomes of it.
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
