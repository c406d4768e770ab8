import Synchronization

/// A flag that is set on one thread and read on another.
package final class CancellationFlag: Sendable {
  private let isSet = Atomic(false)

  package init() {}

  /// True once `set()` has been called.
  package var isCancelled: Bool { isSet.load(ordering: .relaxed) }

  /// Sets the flag. May be called on any thread, more than once.
  package func set() { isSet.store(true, ordering: .relaxed) }
}
