import VitrineLoading
import VitrineWidgets

/// A question of a slot's that memory has no answer to, and those who want to hear how it ends.
final class SlotLoad {
  var question: SlotQuestion
  /// Nil until it is started: a slot without a size waits for one.
  var task: ImageTask?
  /// How often the downloader was asked: what came of an earlier time is of no interest.
  var times = 0
  private var listeners: SlotListeners
  /// True once the completions have been called or claimed.
  private(set) var isFinished = false
  private var pauseObservation: ActivityObservation?
  private var isPaused = false

  init(_ question: SlotQuestion, _ listeners: SlotListeners = .init()) {
    self.question = question
    self.listeners = listeners
  }

  /// Whether somebody has cancelled it by its task, or with all others: its end is on its way.
  var isGivenUp: Bool { task?.isCancelled == true }

  /// Somebody else wants it, perhaps sooner; nobody makes it wait longer.
  ///
  /// Whether it is to be asked for anew, to be shown in part: not once its outcome is on its way.
  func join(_ more: SlotListeners, as request: ImageRequest) -> Bool {
    listeners.append(more)
    raise(request.priority)
    let progressive = request.progressive
    guard progressive != .none, progressive != question.request.progressive else { return false }
    question.request.progressive = progressive
    return task?.isFinished == false
  }

  private func raise(_ priority: ImageRequest.Priority) {
    guard priority > question.request.priority else { return }
    question.request.priority = priority
    if let task { task.priority = max(task.priority, priority) }
  }

  func report(_ progress: ImageTask.Progress) { listeners.report(progress) }

  /// Calls `change` on the main actor each time the task is paused or resumed.
  func observePause(of task: ImageTask, _ change: @escaping () -> Void) {
    isPaused = task.isPaused
    pauseObservation = task.observeActivity { [weak self, weak task] in
      guard let self, let task, task === self.task, self.isPaused != task.isPaused else { return }
      self.isPaused = task.isPaused
      change()
    }
  }

  /// Those who are yet to hear how it ended: they are told by the caller. Nobody the second time.
  func takeListeners() -> SlotListeners {
    defer {
      listeners = SlotListeners()
      isFinished = true
    }
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
