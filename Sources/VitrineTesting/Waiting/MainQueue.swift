import VitrineConcurrency

/// Waits until the closures that are queued for the main actor have run. Use this before an assertion that nothing more
/// happens.
///
/// - Parameter rounds: The number of times to wait. The second round covers the closures that the first round has
///   queued, and so on.
package func drainMainQueue(rounds: Int = 1) async {
  for _ in 0..<rounds {
    await withCheckedContinuation { continuation in MainActorQueue.main.post { continuation.resume() } }
  }
}
