import VitrineConcurrency

/// Functions that are called on the main actor when the network has returned or the system's clock was set.
final class ConnectivityObservers: Sendable {
  typealias Handler = @MainActor @Sendable () -> Void

  private let handlers = Shared(ObserverList<Handler>())

  /// Adds a handler. The handler is removed when the observation is cancelled or released.
  func add(_ handler: @escaping Handler) -> any Cancellable {
    Observation(handlers.withLock { $0.add(handler) }, self)
  }

  /// Calls the handlers in a later turn of the main actor, in the order in which they were added.
  func notify() {
    guard handlers.withLock({ !$0.isEmpty }) else { return }
    MainActorQueue.main.post { [self] in
      for entry in handlers.withLock({ $0.entries }) {
        // A handler may have removed another one.
        handlers.withLock { $0[entry.number] }?()
      }
    }
  }

  private func remove(_ number: Int) { handlers.releaseAfterLock { $0.remove(number) } }

  private final class Observation: Cancellable {
    private let number: Int
    /// `nonisolated(unsafe)` is safe because only the initializer sets the property, and because threads may read a
    /// weak reference at the same time.
    nonisolated(unsafe) private weak var observers: ConnectivityObservers?

    init(_ number: Int, _ observers: ConnectivityObservers) {
      self.number = number
      self.observers = observers
    }

    deinit { cancel() }

    func cancel() { observers?.remove(number) }
  }
}
