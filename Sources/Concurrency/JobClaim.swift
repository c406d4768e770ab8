/// The memory that a job of a `WorkerPool` needs while the job runs.
///
/// A job waits until its claim is reserved. A claim that finds no room for too long is given up: the job then runs
/// without the reservation and reports that to its caller.
package protocol JobClaim: AnyObject, Sendable {
  /// True if the size of the claim is known.
  var isMeasured: Bool { get }
  /// Measures the claim, on a thread of the pool.
  func measure()
  /// True for a claim of nothing, and for a claim that is not measured yet.
  var isEmpty: Bool { get }
  /// True if the job must run without the reservation.
  var isGivenUp: Bool { get }
  /// Reserves the claim if there is room; `exceeding` allows an overdraft. Called with the lock of the pool held: takes
  /// no lock that is held while the pool is called.
  func reserve(exceeding: Bool) -> Bool
  /// Releases memory of others, such as cached memory, to make room.
  func makeRoom()
  /// Calls `lookAgain` after a while, or gives the claim up. Called when no job is running whose end would make room.
  func waitForRoom(_ clock: any LoadingClock, lookAgain: @escaping @Sendable () -> Void)
}
