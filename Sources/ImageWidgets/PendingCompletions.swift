import VitrineLoading
import VitrineWidgets

/// The completions of a slot that have not been called although their result is known: they wait for the end of a
/// transition, for a cancelled task, or for a task of their own.
///
/// The slot calls all of them before it begins another load, so that a completion of the previous image cannot undo
/// what a reused cell does for the next one.
final class PendingCompletions {
  /// The handlers in the order in which they are called.
  private var entries: [(handlers: SlotHandlers, result: SlotResult)] = []

  /// Keeps completions that the caller calls later with this result.
  func add(_ handlers: SlotHandlers, _ result: SlotResult) {
    entries.removeAll { $0.handlers.areCalled }
    entries.append((handlers, result))
  }

  /// Calls completions in a task, unless `callAll` is called before.
  func postpone(_ listeners: SlotListeners, _ result: SlotResult) {
    guard !listeners.isEmpty else { return }
    let handlers = SlotHandlers(listeners)
    add(handlers, result)
    Task { @MainActor in self.call(handlers, result) }
  }

  /// Calls completions now, or if a view is given and the result is an image, at the end of the transition to it.
  func complete(_ handlers: SlotHandlers, _ result: SlotResult, afterTransitionOf view: View?) {
    guard let view, let image = try? result.get().image else { return call(handlers, result) }
    view.afterTransition(to: image) { self.call(handlers, result) }
  }

  /// Calls all completions. A completion that begins another load thereby calls the rest before that.
  func callAll() {
    while !entries.isEmpty {
      let next = entries.removeFirst()
      next.handlers.call(next.result)
    }
  }

  private func call(_ handlers: SlotHandlers, _ result: SlotResult) {
    entries.removeAll { $0.handlers === handlers }
    handlers.call(result)
  }
}
