import VitrineLoading

/// The handlers of one request of a slot, and the result that the completions receive. Each completion is called once.
final class SlotHandlers {
  private var listeners: SlotListeners
  private var result: SlotResult?
  /// True once the last completion is being called.
  private(set) var areCalled = false

  init(_ listeners: SlotListeners, _ result: SlotResult? = nil) {
    self.listeners = listeners
    self.result = result
  }

  /// Replaces the called handlers by those of another request.
  func reuse(for listeners: SlotListeners) {
    self.listeners = listeners
    areCalled = false
  }

  /// Adds the handlers of another call for the same image.
  func append(_ more: SlotListeners) { listeners.append(more) }

  func report(_ progress: ImageTask.Progress) { listeners.report(progress) }

  /// Sets or replaces the result for the completions that have not been called.
  func settle(_ result: SlotResult) { if !areCalled { self.result = result } }

  /// Calls the next completion. After the last one, all handlers and the result are released. Does nothing without a
  /// result.
  func callNext() {
    guard !areCalled, let result else { return }
    let completion = listeners.takeCompletion()
    var called = SlotListeners()
    if !listeners.hasCompletion {
      areCalled = true
      swap(&called, &listeners)
      self.result = nil
    }
    completion?(result)
    // Released last, because a deinit of the application may request another image.
    withExtendedLifetime(called) {}
  }

  /// Calls all completions that have not been called.
  func call() { while !areCalled, result != nil { callNext() } }

  /// Sets the result and calls all completions that have not been called.
  func finish(_ result: SlotResult) {
    settle(result)
    call()
  }
}
