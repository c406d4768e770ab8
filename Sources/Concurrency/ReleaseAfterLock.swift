public import Synchronization

// Releasing the last reference to an object calls its deinit, and the deinit of an object of another owner may need the
// lock that is held. What is taken out of the state of a lock is therefore released after the lock.

extension Mutex where Value: ~Copyable {
  /// Releases the values that `take` returns, after the lock.
  @inlinable package borrowing func releaseAfterLock<Taken>(
    _ take: (inout sending Value) -> sending Taken
  ) {
    _ = withLock(take)
  }
}

extension Mutex where Value: Sendable {
  /// Sets the value, and releases the old value after the lock.
  @inlinable package borrowing func replaceValue(with value: Value) {
    _ = withLock { old in
      let taken = old
      old = value
      return taken
    }
  }
}

extension Shared {
  /// Releases the values that `take` returns, after the lock.
  @inlinable package func releaseAfterLock<Taken>(_ take: (inout Value) -> Taken) { _ = withLock(take) }
}
