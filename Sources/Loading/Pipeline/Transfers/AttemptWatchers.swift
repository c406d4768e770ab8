/// The tasks that wait for an attempt, and receive its events.
struct AttemptWatchers {
  private(set) var tasks: [ImageTask] = []
  /// The number of tasks at which finished tasks are removed.
  private var fullCount = 32

  /// Adds a task. Returns finished tasks, which the caller releases without holding a lock. O(1), amortized.
  mutating func add(_ task: ImageTask) -> [ImageTask] {
    tasks.append(task)
    guard tasks.count >= fullCount else { return [] }
    var finished: [ImageTask] = []
    tasks.removeAll { task in
      let isFinished = task.isFinished
      if isFinished { finished.append(task) }
      return isFinished
    }
    fullCount = max(32, 2 * tasks.count)
    return finished
  }

  /// Removes a task that waits for another fetch now. O(n).
  mutating func remove(_ task: ImageTask) { tasks.removeAll { $0 === task } }

  mutating func takeAll() -> [ImageTask] {
    defer { tasks = [] }
    return tasks
  }
}
