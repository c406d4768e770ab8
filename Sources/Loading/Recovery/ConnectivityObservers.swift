import VitrineConcurrency
import VitrineGraphics

/// Functions that are called on the main actor when the network has returned or the system's clock was set.
final class ConnectivityObservers: Sendable {
  typealias Handler = @MainActor @Sendable () -> Void

  private struct State {
    var lastNumber: UInt64 = 0
    var handlers: [UInt64: Handler] = [:]
  }

  private let state = Shared(State())

  /// Adds a handler. The handler is removed when the observation is cancelled or released.
  func add(_ handler: @escaping Handler) -> any Cancellable {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.handlers[state.lastNumber] = handler
      return state.lastNumber
    }
    return Observation(number, self)
  }

  /// Calls the handlers in a later turn of the main actor, in the order in which they were added.
  func notify() {
    guard state.withLock({ !$0.handlers.isEmpty }) else { return }
    MainActorQueue.main.post { [self] in
      for number in state.withLock({ $0.handlers.keys.sorted() }) {
        // A handler may have removed another one.
        state.withLock { $0.handlers[number] }?()
      }
    }
  }

  private func remove(_ number: UInt64) {
    let handler = state.withLock { $0.handlers.removeValue(forKey: number) }
    _ = handler  // deallocated here, outside the lock
  }

  private final class Observation: Cancellable {
    private let number: UInt64
    private weak let observers: ConnectivityObservers?

    init(_ number: UInt64, _ observers: ConnectivityObservers) {
      self.number = number
      self.observers = observers
    }

    deinit { cancel() }

    func cancel() { observers?.remove(number) }
  }
}
