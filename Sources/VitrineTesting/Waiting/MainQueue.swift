import Dispatch

/// Waits until the work that is queued for the main actor has run: tasks, and the closures of `MainActorQueue`. Use
/// this before an assertion that nothing more happens.
///
/// - Parameter rounds: The number of times to wait. The second round covers the work that the first round has queued,
///   and so on.
package func drainMainQueue(rounds: Int = 1) async {
  for _ in 0..<rounds {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
  }
}
