import VitrineLoading

/// The handlers of one load of a slot. The completions are called once.
final class SlotHandlers {
  private var listeners: SlotListeners
  /// True once the completions have been called.
  private(set) var areCalled = false

  init(_ listeners: SlotListeners) { self.listeners = listeners }

  func append(_ more: SlotListeners) { listeners.append(more) }

  func report(_ progress: ImageTask.Progress) { listeners.report(progress) }

  /// Calls the completions and releases all handlers. Further calls do nothing.
  func call(_ result: SlotResult) {
    guard !areCalled else { return }
    areCalled = true
    let listeners = listeners
    self.listeners = SlotListeners()
    listeners.tell(result)
  }
}
