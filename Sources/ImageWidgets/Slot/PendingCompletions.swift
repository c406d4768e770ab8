import VitrineGraphics

/// The completions of a slot whose result is known and that have not been called.
///
/// The slot calls all of them before it begins another load, so that a completion of the previous image cannot undo
/// the changes that a reused cell makes for the next image.
struct PendingCompletions {
  private enum Step {
    /// Called next.
    case due
    /// To be scheduled in a task.
    case unscheduled
    /// To be scheduled at the end of the transition to an image.
    case transition(to: Image)
    /// Called by a task or at the end of a transition, unless another load begins before.
    case scheduled
  }

  /// The handlers in the order in which they are called.
  private var entries: [(handlers: SlotHandlers, step: Step)] = []
  /// Handlers that have been called, kept so that an image from memory needs no allocation.
  private var spare: SlotHandlers?

  /// Returns handlers for a result that is known; `nil` if there is no handler to call.
  mutating func handlers(_ listeners: SlotListeners) -> SlotHandlers? {
    if listeners.isEmpty { return nil }
    // A task, the end of a transition, the current effect or the load may still refer to the called handlers.
    guard isKnownUniquelyReferenced(&spare), let handlers = spare.take() else {
      return SlotHandlers(listeners)
    }
    handlers.reuse(for: listeners)
    return handlers
  }

  /// Adds handlers that are called next or, if an image is given, at the end of the transition to it.
  mutating func add(_ handlers: SlotHandlers, afterTransitionTo image: Image? = nil) {
    set(handlers, image.map { .transition(to: $0) } ?? .due)
  }

  /// Adds handlers that are called in a task of their own.
  mutating func postpone(_ handlers: SlotHandlers) { set(handlers, .unscheduled) }

  /// Adds handlers that a cancelled load calls.
  mutating func expect(_ handlers: SlotHandlers) { set(handlers, .scheduled) }

  private mutating func set(_ handlers: SlotHandlers, _ step: Step) {
    if !entries.isEmpty { entries.removeAll { $0.handlers.areCalled || $0.handlers === handlers } }
    entries.append((handlers, step))
  }

  /// Makes all handlers due.
  mutating func callAll() { for index in entries.indices { entries[index].step = .due } }

  /// Returns the next effect. Handlers with several completions are returned once for each.
  mutating func next() -> SlotEffect? {
    while let first = entries.first?.handlers, first.areCalled {
      spare = first
      entries.removeFirst()
    }
    for index in entries.indices where !entries[index].handlers.areCalled {
      let handlers = entries[index].handlers
      switch entries[index].step {
      case .due: return .complete(handlers)
      case .unscheduled:
        entries[index].step = .scheduled
        return .completeLater(handlers)
      case .transition(let image):
        entries[index].step = .scheduled
        return .completeAfterTransition(handlers, to: image)
      case .scheduled: continue
      }
    }
    return nil
  }
}
