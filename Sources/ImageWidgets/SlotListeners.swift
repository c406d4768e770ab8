import VitrineLoading

/// The progress and completion handlers of a load, in the order of the calls that joined. Optimised for one call, which
/// needs no array.
struct SlotListeners {
  private var progress: SlotProgress?
  private var completion: SlotCompletion?
  private var others: [SlotListeners] = []

  /// Creates a list with the handlers of one call; both may be `nil`.
  init(progress: SlotProgress? = nil, completion: SlotCompletion? = nil) {
    self.progress = progress
    self.completion = completion
  }

  /// True if there is no handler to call.
  var isEmpty: Bool { progress == nil && completion == nil && others.isEmpty }

  mutating func append(_ other: SlotListeners) { others.append(other) }

  /// Calls the progress handlers.
  func report(_ progress: ImageTask.Progress) {
    self.progress?(progress)
    for other in others { other.report(progress) }
  }

  /// Calls the completion handlers.
  func tell(_ result: SlotResult) {
    completion?(result)
    for other in others { other.tell(result) }
  }
}
