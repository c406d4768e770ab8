/// Handlers in the order in which they were added, each with a number that removes it.
///
/// A value without a lock of its own: it is part of the state of a lock or of an actor. Its owner calls the handlers
/// without the lock, because a handler may add and remove handlers.
@usableFromInline
package struct ObserverList<Handler> {
  /// The handlers with their numbers, in the order in which they were added. Numbers begin at 1.
  @usableFromInline package internal(set) var entries: [(number: Int, handler: Handler)] = []
  @usableFromInline var lastNumber = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { entries.isEmpty }

  /// The handler with this number; `nil` if it has been removed, for example by the handler that was called before it.
  @inlinable package subscript(number: Int) -> Handler? {
    entries.first { $0.number == number }?.handler
  }

  /// Adds a handler. Returns its number, which is never used again.
  @inlinable package mutating func add(_ handler: Handler) -> Int {
    lastNumber += 1
    entries.append((lastNumber, handler))
    return lastNumber
  }

  /// Removes a handler and returns it, so that its owner releases it after the lock. An unknown number is ignored.
  @inlinable @discardableResult
  package mutating func remove(_ number: Int) -> Handler? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    return entries.remove(at: index).handler
  }

  @inlinable package mutating func removeAll() { entries = [] }

  @inlinable package mutating func removeAll(where shouldRemove: (Handler) -> Bool) {
    // `filter` does not copy a shared array first, as `removeAll(where:)` of the array would.
    entries = entries.filter { !shouldRemove($0.handler) }
  }
}

extension ObserverList: Sendable where Handler: Sendable {}
