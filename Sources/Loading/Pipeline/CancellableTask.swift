/// A Swift task in the clothes of everything else that can be given up.
final class CancellableTask: Cancellable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  func cancel() { task.cancel() }
}
