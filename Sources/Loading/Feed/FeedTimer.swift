import VitrineConcurrency

/// A timer of a feed. Setting the timer replaces its earlier time.
@MainActor
final class FeedTimer {
  /// Generation counter, incremented by each change. Calls for earlier times are dropped.
  private var generation = 0
  /// The function to call; `nil` while no time is set.
  private var body: (@MainActor () -> Void)?

  var isSet: Bool { body != nil }

  /// Calls `body` on the main actor after a number of seconds. Does not keep the timer alive.
  func set(after seconds: Double, on clock: any LoadingClock, _ body: @escaping @MainActor () -> Void) {
    generation += 1
    self.body = body
    clock.wake(at: clock.now.advanced(bySeconds: seconds)) { [weak self, generation] in
      MainActorQueue.main.post { self?.fire(generation) }
    }
  }

  func cancel() {
    generation += 1
    body = nil
  }

  private func fire(_ generation: Int) {
    guard generation == self.generation, let body else { return }
    self.body = nil
    body()
  }
}
