import VitrineLoading
import VitrineWidgets

/// A question of a slot's that memory has no answer to, and those who want to hear how it ends.
final class SlotLoad {
  var question: SlotQuestion
  /// Nil until it is started: a slot without a size waits for one.
  var task: ImageTask?
  /// How often the downloader was asked: what came of an earlier time is of no interest.
  var times = 0
  let handlers: SlotHandlers
  private var visibility = SlotVisibility.visible
  private var pauseObservation: ActivityObservation?
  private var isPaused = false

  init(_ question: SlotQuestion, _ listeners: SlotListeners = .init()) {
    self.question = question
    handlers = SlotHandlers(listeners)
  }

  /// The request at the size that is needed, and at the priority that suits the visibility of the slot.
  var request: ImageRequest {
    var request = question.sizedRequest
    request.priority = visibility.priority(for: request.priority)
    return request
  }

  /// Whether somebody has cancelled it by its task, or with all others: its end is on its way.
  var isGivenUp: Bool { task?.isCancelled == true }

  /// Somebody else wants it, perhaps sooner; nobody makes it wait longer.
  ///
  /// Whether it is to be asked for anew, to be shown in part: not once its outcome is on its way.
  func join(_ more: SlotListeners, as request: ImageRequest) -> Bool {
    handlers.append(more)
    raise(request.priority)
    let progressive = request.progressive
    guard progressive != .none, progressive != question.request.progressive else { return false }
    question.request.progressive = progressive
    return task?.isFinished == false
  }

  private func raise(_ priority: ImageRequest.Priority) {
    guard priority > question.request.priority else { return }
    question.request.priority = priority
    if let task { task.priority = max(task.priority, visibility.priority(for: priority)) }
  }

  /// Changes the priority of the task when the slot appears on the screen or leaves it. A priority that the caller has
  /// set on the task itself is kept.
  func move(to new: SlotVisibility) {
    guard visibility != new else { return }
    let previous = visibility.priority(for: question.request.priority)
    visibility = new
    guard let task, task.priority == previous, !task.isFinished else { return }
    task.priority = visibility.priority(for: question.request.priority)
  }

  func report(_ progress: ImageTask.Progress) { handlers.report(progress) }

  /// Calls `change` on the main actor each time the task is paused or resumed.
  func observePause(of task: ImageTask, _ change: @escaping () -> Void) {
    isPaused = task.isPaused
    pauseObservation = task.observeActivity { [weak self, weak task] in
      guard let self, let task, task === self.task, self.isPaused != task.isPaused else { return }
      self.isPaused = task.isPaused
      change()
    }
  }

  /// Calls the completions, unless they have been called before.
  func finish(_ result: SlotResult) { handlers.call(result) }

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
