import Dispatch

/// A queue of closures that run on the main actor in the order of posting.
///
/// All closures posted between two turns of the main queue are delivered by one Dispatch block.
package final class MainActorQueue: Sendable {
  package typealias Work = @MainActor () -> Void

  private struct State {
    var pending: [Work] = []
    /// The number of nested deliveries in progress.
    var deliveries = 0
  }

  /// The queue of all downloaders, so that closures of different downloaders also run in the order of posting.
  package static let main = MainActorQueue()

  /// The number of times that `runPosted()` runs what earlier closures have posted. An image from disk takes two: one
  /// closure stores it in memory, and one delivers it.
  private static let maximumRounds = 4

  private let state = Shared(State())

  package init() {}

  /// Adds a closure, which always runs later, even if posted on the main actor. May be called on any thread.
  package func post(_ work: @escaping Work) {
    let isFirst = state.withLock {
      $0.pending.append(work)
      return $0.pending.count == 1
    }
    guard isFirst else { return }
    DispatchQueue.main.async { MainActor.assumeIsolated { self.deliver() } }
  }

  /// Runs the posted closures now, and those that they post, instead of in the next turn of the main queue. A closure
  /// that posts another each time does not keep this call from returning. Does nothing within a closure of the queue,
  /// because the closures that come after that one were posted earlier.
  @MainActor package func runPosted() {
    for _ in 0..<Self.maximumRounds {
      guard state.withLock({ $0.deliveries == 0 && !$0.pending.isEmpty }) else { return }
      deliver()
    }
  }

  @MainActor private func deliver() {
    let taken = state.withLock { state in
      state.deliveries += 1
      defer { state.pending = [] }
      return state.pending
    }
    for work in taken { work() }
    state.withLock { $0.deliveries -= 1 }
  }
}
