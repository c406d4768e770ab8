/// A lower bound for the earliest deadline of a loop's transfers.
///
/// The bound is not raised when a transfer's deadline moves to a later time; instead the loop checks all transfers once
/// when the bound is reached. Checking all of them on each arrival of bytes took a quarter of the processor time with a
/// hundred concurrent transfers.
final class DeadlineWatch {
  /// A time that is not later than the earliest deadline; `nil` if there is no deadline. Swift does not check this property
  /// for overlapping accesses, because the checks are slow. No access overlaps another, because no function is called
  /// during an access.
  @exclusivity(unchecked) private(set) var earliest: TransferInstant?

  /// Takes account of a transfer's new deadline.
  func note(_ deadline: TransferInstant?) {
    guard let deadline else { return }
    earliest = min(earliest ?? deadline, deadline)
  }

  /// Replaces the bound with the earliest of all current deadlines.
  func renew(_ deadlines: some Sequence<TransferInstant>) { earliest = deadlines.min() }
}
