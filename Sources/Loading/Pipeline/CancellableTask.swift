/// A Swift task that can be cancelled as a `Cancellable`.
final class CancellableTask: Cancellable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  func cancel() { task.cancel() }
}
