import Synchronization
import VitrineLoading

/// A fetch lock that was taken once; see `FetchLockTable`.
final class FetchLockClaim: FetchLockToken {
  private let table: FetchLockTable
  private let start: Int64
  private let isReleased = Atomic(false)

  /// - Parameter start: The start of the range of bytes that is locked.
  init(_ start: Int64, in table: FetchLockTable) {
    self.start = start
    self.table = table
  }

  deinit { release() }

  func noteProgress() { note(FetchLockTable.receivedStep) }

  func noteWaiting() { note(1) }

  private func note(_ step: Int64) {
    if !isReleased.load(ordering: .relaxed) { table.noteProgress(step, from: start) }
  }

  func release() {
    if !isReleased.exchange(true, ordering: .relaxed) { table.release(from: start) }
  }
}
