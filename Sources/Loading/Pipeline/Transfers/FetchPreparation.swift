/// The result of asking the disk cache before a transfer.
struct FetchPreparation: Sendable {
  enum Lock: Sendable {
    /// There is no lock, or none is needed.
    case none
    /// - secondsSinceStore: See `FetchLock.acquired`.
    case acquired(FetchLockHold, secondsSinceStore: Double?)
    case heldByAnother(FetchLockProgress)
  }

  var lock = Lock.none
  /// The resumable data of an earlier run of the program.
  var resumable: ResumableData?
  /// True if there may be resumable data, which were not read because the question was early.
  var hasUnreadData = false

  /// The lock, if this process holds it.
  var hold: FetchLockHold? { if case .acquired(let hold, _) = lock { hold } else { nil } }
}
