import VitrineLoading
import VitrineWidgets

/// A load of a slot: a request whose image is loaded by the downloader, and its handlers.
final class SlotLoad {
  var slotRequest: SlotRequest
  /// The current task; `nil` while the load waits for the view to get a size.
  var task: ImageTask?
  /// Generation counter, incremented by each request to the downloader. Results of earlier requests are dropped.
  var times = 0
  let handlers: SlotHandlers
  private var visibility = SlotVisibility.visible
  private var pauseObservation: ActivityObservation?
  private var isPaused = false

  init(_ slotRequest: SlotRequest, _ listeners: SlotListeners = .init()) {
    self.slotRequest = slotRequest
    handlers = SlotHandlers(listeners)
  }

  /// The request at the size that is needed, and at the priority that suits the visibility of the slot.
  var request: ImageRequest {
    var request = slotRequest.sizedRequest
    request.priority = visibility.priority(for: request.priority)
    return request
  }

  /// True if the task has been cancelled by a caller or by `cancelAll`. Its completion handler has not been called yet.
  var isGivenUp: Bool { task?.isCancelled == true }

  /// Adds the handlers of another call for this image, and raises the priority if `request` has a higher one.
  ///
  /// Returns true if the request must be sent again because the new call wants previews; false once the result is
  /// known.
  func join(_ more: SlotListeners, as request: ImageRequest) -> Bool {
    handlers.append(more)
    raise(request.priority)
    let progressive = request.progressive
    guard progressive != .none, progressive != slotRequest.request.progressive else { return false }
    slotRequest.request.progressive = progressive
    return task?.isFinished == false
  }

  private func raise(_ priority: ImageRequest.Priority) {
    guard priority > slotRequest.request.priority else { return }
    slotRequest.request.priority = priority
    if let task { task.priority = max(task.priority, visibility.priority(for: priority)) }
  }

  /// Changes the priority of the task when the slot appears on the screen or leaves it. A priority that the caller has
  /// set on the task itself is kept.
  func move(to new: SlotVisibility) {
    guard visibility != new else { return }
    let previous = visibility.priority(for: slotRequest.request.priority)
    visibility = new
    guard let task, task.priority == previous, !task.isFinished else { return }
    task.priority = visibility.priority(for: slotRequest.request.priority)
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

  /// Cancels the load. The completions are called later: by the task if the load has been started, otherwise in a task
  /// of their own.
  func cancel() {
    if let task {
      task.cancel()
    } else {
      Task { @MainActor in self.finish(.failure(.cancelled)) }
    }
  }
}
