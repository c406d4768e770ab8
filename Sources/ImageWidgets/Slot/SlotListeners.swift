import VitrineLoading

/// The progress and completion handlers of a load, in the order of the calls that joined. Optimized for one call, which
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
  var isEmpty: Bool { progress == nil && !hasCompletion }

  /// True if a completion has not been taken.
  var hasCompletion: Bool { completion != nil || others.contains(where: \.hasCompletion) }

  mutating func append(_ other: SlotListeners) { others.append(other) }

  /// Calls the progress handlers.
  func report(_ progress: ImageTask.Progress) {
    self.progress?(progress)
    for other in others { other.report(progress) }
  }

  /// Removes and returns the first completion; `nil` if all have been taken.
  mutating func takeCompletion() -> SlotCompletion? {
    if let completion {
      self.completion = nil
      return completion
    }
    for index in others.indices {
      if let completion = others[index].takeCompletion() { return completion }
    }
    return nil
  }
}
