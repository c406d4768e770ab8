import VitrineLoading

/// A question of a slot's that memory has no answer to, and those who want to hear how it ends.
final class SlotLoad {
  var question: SlotQuestion
  /// Nil until it is started: a slot without a size waits for one.
  var task: ImageTask?
  private var listeners: SlotListeners

  init(_ question: SlotQuestion, _ listeners: SlotListeners = .init()) {
    self.question = question
    self.listeners = listeners
  }

  /// Somebody else wants it, perhaps sooner; nobody makes it wait longer.
  func join(_ more: SlotListeners, priority: ImageRequest.Priority) {
    listeners.append(more)
    guard priority > question.request.priority else { return }
    question.request.priority = priority
    if let task { task.priority = max(task.priority, priority) }
  }

  func report(_ progress: ImageTask.Progress) { listeners.report(progress) }

  /// Those who are yet to hear how it ended: they are told by the caller. Nobody the second time.
  func takeListeners() -> SlotListeners {
    defer { listeners = SlotListeners() }
    return listeners
  }

  /// Tells everybody who waits, once; a second end is ignored.
  func finish(_ result: Result<ImageResponse, ImageError>) { takeListeners().tell(result) }

  /// Ends it for a slot that wants something else: a running task says so itself, later; one that was never
  /// started is told here, later too.
  func cancel() {
    if let task {
      task.cancel()
    } else {
      Task { @MainActor in self.finish(.failure(.cancelled)) }
    }
  }
}
