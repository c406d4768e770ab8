/// Waiting items, the highest priority first, and within a priority by arrival in an order that may change.
///
/// There is a line of batches for each priority. An item that is removed from the middle leaves a gap that is skipped
/// later, so every operation is O(1), amortized.
@usableFromInline
package struct WaitingList<Item: Hashable & Sendable>: Sendable {
  /// The next item with its position.
  @usableFromInline
  package struct Head {
    @usableFromInline package let item: Item
    @usableFromInline package let priority: Int
    @usableFromInline package let ticket: WaitingTicket

    @inlinable package init(item: Item, priority: Int, ticket: WaitingTicket) {
      self.item = item
      self.priority = priority
      self.ticket = ticket
    }

    /// Returns true if this item goes before the head of another list.
    @inlinable package func goes(before other: Head, in order: Prioritization) -> Bool {
      guard priority == other.priority else { return priority > other.priority }
      let (a, b) = (ticket, other.ticket)
      return switch order {
      case .fifo: a.number < b.number
      case .lifo: a.number > b.number
      case .newestBatch: a.batch == b.batch ? a.number < b.number : a.batch > b.batch
      }
    }
  }

  /// The lines of the priorities from 0 up.
  @usableFromInline var lines: [WaitingLine<Item>] = []
  /// The number under which each item was added last.
  @usableFromInline var numbers: [Item: UInt64] = [:]
  @usableFromInline var gaps = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { numbers.isEmpty }
  @inlinable package var count: Int { numbers.count }

  @inlinable package func contains(_ item: Item) -> Bool { numbers[item] != nil }

  /// Adds an item to the line of the priority, at the position of `number`: at the end, unless the item was in another
  /// line before. A number is used once, and a larger number never has a smaller `batch`. Priorities are small numbers
  /// from 0 up, because there is a line for each of them.
  @inlinable package mutating func append(
    _ item: Item, priority: Int = 0, number: UInt64, batch: UInt64 = 0
  ) {
    remove(item)
    numbers[item] = number
    if priority >= lines.count {
      lines += repeatElement(WaitingLine(), count: priority + 1 - lines.count)
    }
    lines[priority].append(item, WaitingTicket(number: number, batch: batch))
  }

  /// Removes an item. Returns true if the item was waiting.
  @inlinable @discardableResult
  package mutating func remove(_ item: Item) -> Bool {
    guard numbers.removeValue(forKey: item) != nil else { return false }
    gaps += 1
    if gaps > numbers.count + 32 { closeGaps() }
    return true
  }

  /// Returns the next item, which stays in the list.
  @inlinable package mutating func head(_ order: Prioritization) -> Head? {
    guard !numbers.isEmpty else { return nil }
    for priority in lines.indices.reversed() {
      while let (item, ticket) = lines[priority].end(order) {
        if numbers[item] == ticket.number {
          return Head(item: item, priority: priority, ticket: ticket)
        }
        gaps -= 1
        lines[priority].dropEnd(order)
      }
    }
    return nil
  }

  /// Returns the next items, at most `count`, which stay in the list. O(count), plus the items removed since the last
  /// gaps were closed.
  @inlinable package func prefix(_ count: Int, _ order: Prioritization) -> [Item] {
    var items: [Item] = []
    for line in lines.reversed() where items.count < count {
      line.forEach(order) { item, ticket in
        if numbers[item] == ticket.number { items.append(item) }
        return items.count < count
      }
    }
    return items
  }

  @inlinable mutating func closeGaps() {
    for index in lines.indices {
      lines[index].keep { item, ticket in numbers[item] == ticket.number }
    }
    gaps = 0
  }
}
