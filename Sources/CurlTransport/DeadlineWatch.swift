/// The moment before which no transfer of a loop is late.
///
/// A deadline that moves to later is left as it was known: the loop looks at all transfers then, and once. To look at all of
/// them each time that bytes come took a quarter of the processor time of a hundred transfers at once.
final class DeadlineWatch {
  /// Never later than the earliest deadline; nil while there is none.
  private(set) var earliest: SuspendingClock.Instant?

  /// A transfer has this deadline now.
  func note(_ deadline: SuspendingClock.Instant?) {
    guard let deadline else { return }
    earliest = min(earliest ?? deadline, deadline)
  }

  /// These are the deadlines of all.
  func renew(_ deadlines: some Sequence<SuspendingClock.Instant>) { earliest = deadlines.min() }
}
