import Dispatch

/// A queue of closures that run on the main actor in the order of posting.
///
/// All closures posted between two turns of the main queue are delivered by one Dispatch block.
package final class MainActorQueue: Sendable {
  package typealias Work = @MainActor () -> Void

  /// The queue of all downloaders, so that closures of different downloaders also run in the order of posting.
  package static let main = MainActorQueue()

  private let pending = Shared<[Work]>([])

  package init() {}

  /// Adds a closure, which always runs later, even if posted on the main actor. May be called on any thread.
  package func post(_ work: @escaping Work) {
    let isFirst = pending.withLock {
      $0.append(work)
      return $0.count == 1
    }
    guard isFirst else { return }
    DispatchQueue.main.async { MainActor.assumeIsolated { self.deliver() } }
  }

  @MainActor private func deliver() {
    let taken = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    for work in taken { work() }
  }
}
