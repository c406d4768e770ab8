import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// A load of a slot: a request whose image is loaded by the downloader, and its handlers.
final class SlotLoad {
  private(set) var slotRequest: SlotRequest
  let handlers: SlotHandlers
  /// The current task; `nil` until the image has been requested from the downloader.
  private(set) var task: ImageTask?
  /// Generation counter, incremented by each request to the downloader. Results of earlier requests are dropped.
  private var generation = 0
  private var visibility = SlotVisibility.visible
  private var pauseObservation: ActivityObservation?
  private var isPaused = false
  private var isCancelled = false
  /// The load of the stored image that the slot shows while this load refreshes the image.
  private var storedImageTask: ImageTask?
  /// The failure of this load while the stored image is still loading, of which the slot shows a part: the image is shown
  /// completely before the load ends.
  private var heldFailure: SlotResult?

  init(_ slotRequest: SlotRequest, _ listeners: SlotListeners = .init()) {
    self.slotRequest = slotRequest
    handlers = SlotHandlers(listeners)
  }

  /// True if the task has been cancelled by a caller or by `cancelAll`. Its completion handler has not been called yet.
  var isGivenUp: Bool { task?.isCancelled == true }

  /// True if the task has no result yet.
  var isRunning: Bool { task?.isFinished == false }

  // MARK: Request

  func lookedUp(in scene: SlotScene) { slotRequest.lookedUp(in: scene) }

  /// Makes the load refresh the image that the slot shows by now.
  func refreshesShownImage() { slotRequest = slotRequest.forRefresh }

  /// Makes the load continue the first frame or the smaller variant from the pixel cache, which the slot shows by now.
  func continuesProvisionalImage() { slotRequest = slotRequest.forDecoding }

  /// Makes the load continue the interim image from memory that the slot shows by now.
  func continuesSmallerVariant() { slotRequest = slotRequest.forSharpening }

  /// Records the time at which the view entered a window, unless the request was made in a window.
  func enteredWindow(at now: Double) { if slotRequest.began == nil { slotRequest.began = now } }

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
    return isRunning
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

  // MARK: Task

  /// The functions that receive the events of the latest task, on the main actor.
  struct Events {
    let completion: @MainActor @Sendable (SlotResult) -> Void
    let progress: @MainActor @Sendable (ImageTask.Progress) -> Void
    let preview: @MainActor @Sendable (Image) -> Void
    /// Called with the stored image that a load refreshes.
    let storedImage: @MainActor @Sendable (ImageResponse) -> Void
    /// Called each time the task is paused or resumed.
    let pause: @MainActor @Sendable (ImageTask) -> Void
  }

  /// Requests the image from a downloader, at the size `needed` and at the priority of `visibility`. A load whose view
  /// has lost its size keeps the last known size.
  ///
  /// - Returns: The task; `nil` if code of a custom cache, called by the downloader, has cancelled the load.
  func request(
    from downloader: ImageDownloader, at needed: NeededSize, _ new: SlotVisibility, _ events: Events
  ) -> ImageTask? {
    if needed != .unknown { slotRequest.size = needed }
    slotRequest.clockSteps = downloader.recovery.clockSteps
    move(to: new)
    var request = slotRequest.sizedRequest
    request.priority = visibility.priority(for: request.priority)
    generation += 1
    let generation = generation
    let task = downloader.load(
      request, additionalIdentifier: slotRequest.additionalIdentifier, isForSlot: true,
      completion: { result in
        guard self.generation == generation else { return }
        self.ended(result, events)
      },
      progress: events.progress,
      preview: { [weak self] image in if self?.generation == generation { events.preview(image) } })
    self.task = task
    observePause(of: task, events.pause)
    guard !isCancelled else {
      task.cancel()
      return nil
    }
    storedImageTask?.cancel()
    (storedImageTask, heldFailure) = (nil, nil)
    if slotRequest.requiresRevalidation, !slotRequest.hasImage || slotRequest.hasProvisionalImage,
      slotRequest.options.setsImage
    {
      showStoredImage(request, from: downloader, events)
    }
    return task
  }

  /// Loads the stored image that the slot shows until the server has responded.
  private func showStoredImage(
    _ request: ImageRequest, from downloader: ImageDownloader, _ events: Events
  ) {
    let generation = generation
    storedImageTask = downloader.loadStoredImage(
      request, additionalIdentifier: slotRequest.additionalIdentifier,
      preview: { [weak self] image in if self?.generation == generation { events.preview(image) } },
      completion: { result in
        guard self.generation == generation else { return }
        self.storedImageTask = nil
        if case .success(let response) = result { events.storedImage(response) }
        if self.generation == generation, let failure = self.heldFailure.take() { events.completion(failure) }
      })
  }

  /// Passes on the result of the task. A failure waits for a stored image of which the slot shows a part: the first frame
  /// or a smaller variant.
  private func ended(_ result: SlotResult, _ events: Events) {
    if case .failure(let error) = result, error != .cancelled, error != .shutDown, !isCancelled,
      storedImageTask != nil, slotRequest.hasProvisionalImage
    {
      heldFailure = result
      return
    }
    storedImageTask?.cancel()
    events.completion(result)
  }

  private func observePause(of task: ImageTask, _ change: @escaping (ImageTask) -> Void) {
    isPaused = task.isPaused
    pauseObservation = task.observeActivity { [weak self, weak task] in
      guard let self, let task, task === self.task, self.isPaused != task.isPaused else { return }
      self.isPaused = task.isPaused
      if !task.isFinished { change(task) }
    }
  }

  /// Cancels the load. The completions are called later: by the task if the load has been requested, otherwise in a
  /// task of their own.
  func cancel() {
    isCancelled = true
    storedImageTask?.cancel()
    if let task { return task.cancel() }
    Task { @MainActor in self.handlers.finish(.failure(.cancelled)) }
  }
}
