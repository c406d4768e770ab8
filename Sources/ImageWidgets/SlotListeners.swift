import VitrineLoading

/// Those who want to hear of a load, in the order in which they came. Nearly always it is one, who needs no list.
struct SlotListeners {
  private var progress: SlotProgress?
  private var completion: SlotCompletion?
  private var others: [SlotListeners] = []

  /// One listener, or nobody.
  init(progress: SlotProgress? = nil, completion: SlotCompletion? = nil) {
    self.progress = progress
    self.completion = completion
  }

  /// True if there is no handler to call.
  var isEmpty: Bool { progress == nil && completion == nil && others.isEmpty }

  mutating func append(_ other: SlotListeners) { others.append(other) }

  /// More has come.
  func report(_ progress: ImageTask.Progress) {
    self.progress?(progress)
    for other in others { other.report(progress) }
  }

  /// It is over.
  func tell(_ result: SlotResult) {
    completion?(result)
    for other in others { other.tell(result) }
  }
}
