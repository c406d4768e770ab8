import Synchronization

/// The number of transfers and deliveries that keep a downloader from being idle.
///
/// Increased only with the lock of `LoadState` held, so that a downloader that is idle stays idle until the lock is
/// released. Decreased without it, because several threads want that lock whenever a load ends.
final class PendingWork: Sendable {
  private let count = Atomic(0)
  private let awaited = Atomic(false)

  /// True if no transfer is open and no result is being delivered.
  var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

  /// Adds work. Call with the lock of the state held.
  func begin(_ number: Int = 1) { count.add(number, ordering: .sequentiallyConsistent) }

  /// Removes work. Returns true if no work remains and callers wait, who may have to be resumed.
  func end(_ number: Int = 1) -> Bool {
    // The count changes before the flag is read, and a caller who waits sets the flag before the count is read. So at
    // least one of the two sees the change of the other.
    let remaining = count.subtract(number, ordering: .sequentiallyConsistent).newValue
    return remaining == 0 && isAwaited
  }

  /// True while callers wait until the downloader is idle. Set with the lock of the state held, before `isEmpty` is
  /// read.
  var isAwaited: Bool {
    get { awaited.load(ordering: .sequentiallyConsistent) }
    set { awaited.store(newValue, ordering: .sequentiallyConsistent) }
  }
}
