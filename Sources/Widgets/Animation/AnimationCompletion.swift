/// The completion handler of an animation of several properties, called once when the last of them has ended.
final class AnimationCompletion {
  private var handler: ((Bool) -> Void)?
  private var runningProperties = 0
  private var isCompleted = true

  init(_ handler: ((Bool) -> Void)?) { self.handler = handler }

  // The view or its window was released.
  isolated deinit { callLater(false) }

  /// Called for each property before the animation begins.
  func begin() { runningProperties += 1 }

  /// Called when the animation of a property has ended, with false if it was cut short.
  ///
  /// - Returns: True if all properties have reached their ends, so that `call()` is to be called.
  func end(isCompleted: Bool) -> Bool {
    runningProperties -= 1
    self.isCompleted = self.isCompleted && isCompleted
    guard runningProperties == 0 else { return false }
    if !self.isCompleted { callLater(false) }
    return self.isCompleted
  }

  /// Calls the handler with true, in the frame that shows the end.
  func call() {
    let handler = handler
    self.handler = nil
    handler?(true)
  }

  /// Calls the handler asynchronously, because the caller may be in the middle of a change.
  func callLater(_ isCompleted: Bool) {
    guard let handler else { return }
    self.handler = nil
    Task { @MainActor in handler(isCompleted) }
  }
}
