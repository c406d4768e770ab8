/// An operation that can be cancelled. Cancelling twice, or after the end of the operation, does nothing.
public protocol Cancellable: AnyObject, Sendable {
  /// Cancels the operation and returns at once. The end is reported later. May be called from any thread.
  func cancel()
}

/// A Swift task that can be cancelled as a `Cancellable`.
package final class CancellableTask: Cancellable {
  private let task: Task<Void, Never>

  package init(_ task: Task<Void, Never>) { self.task = task }

  package func cancel() { task.cancel() }
}
