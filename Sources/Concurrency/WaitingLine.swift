/// The position of an item in the order of arrival. Numbers increase; batches increase or stay the same.
@usableFromInline
package struct WaitingTicket: Hashable, Sendable {
  @usableFromInline package let number: UInt64
  @usableFromInline package let batch: UInt64

  @inlinable package init(number: UInt64, batch: UInt64) {
    self.number = number
    self.batch = batch
  }
}

/// Items in the order of arrival, in batches. Items are taken from three positions: the start, the end, and the start
/// of the last batch. All operations but `keep` are O(1), amortized, if items are appended in order.
@usableFromInline
struct WaitingLine<Item: Sendable>: Sendable {
  @usableFromInline
  struct Batch: Sendable {
    @usableFromInline let number: UInt64
    @usableFromInline var items: [(item: Item, number: UInt64)]
    /// The index of the first item that was not taken.
    @usableFromInline var start = 0

    @inlinable init(number: UInt64, items: [(item: Item, number: UInt64)] = []) {
      self.number = number
      self.items = items
    }

    @inlinable var isEmpty: Bool { start == items.count }
  }

  /// The batches; only batches before `start` are empty.
  @usableFromInline var batches: [Batch] = []
  @usableFromInline var start = 0

  @inlinable init() {}

  /// Adds an item at the position of the ticket. O(1) at the end; an item that was in another line may belong before
  /// later ones.
  @inlinable mutating func append(_ item: Item, _ ticket: WaitingTicket) {
    if start < batches.count, let last = batches[batches.count - 1].items.last,
      ticket.batch < batches[batches.count - 1].number || ticket.number < last.number
    {
      return insert(item, ticket)
    }
    if start == batches.count || batches[batches.count - 1].number != ticket.batch {
      batches.append(Batch(number: ticket.batch))
    }
    batches[batches.count - 1].items.append((item, ticket.number))
  }

  @inlinable mutating func insert(_ item: Item, _ ticket: WaitingTicket) {
    var end = batches.count
    while end > start, batches[end - 1].number > ticket.batch { end -= 1 }
    guard end > start, batches[end - 1].number == ticket.batch else {
      return batches.insert(Batch(number: ticket.batch, items: [(item, ticket.number)]), at: end)
    }
    var index = batches[end - 1].items.count
    while index > batches[end - 1].start, batches[end - 1].items[index - 1].number > ticket.number {
      index -= 1
    }
    batches[end - 1].items.insert((item, ticket.number), at: index)
  }

  /// Returns the next item in an order, without removing the item.
  @inlinable func end(_ order: Prioritization) -> (Item, WaitingTicket)? {
    guard start < batches.count else { return nil }
    let batch = batches[order == .fifo ? start : batches.count - 1]
    let entry = batch.items[order == .lifo ? batch.items.count - 1 : batch.start]
    return (entry.item, WaitingTicket(number: entry.number, batch: batch.number))
  }

  /// Calls `body` with the items in an order, until it returns false.
  @inlinable func forEach(_ order: Prioritization, _ body: (Item, WaitingTicket) -> Bool) {
    for offset in 0..<(batches.count - start) {
      let batch = batches[order == .fifo ? start + offset : batches.count - 1 - offset]
      for place in 0..<(batch.items.count - batch.start) {
        let entry = batch.items[order == .lifo ? batch.items.count - 1 - place : batch.start + place]
        guard body(entry.item, WaitingTicket(number: entry.number, batch: batch.number)) else { return }
      }
    }
  }

  /// Removes the next item in an order.
  @inlinable mutating func dropEnd(_ order: Prioritization) {
    let index = order == .fifo ? start : batches.count - 1
    if order == .lifo { batches[index].items.removeLast() } else { batches[index].start += 1 }
    if batches[index].isEmpty {
      if index == batches.count - 1 { batches.removeLast() } else { start += 1 }
    } else if batches[index].start > 32, batches[index].start > batches[index].items.count / 2 {
      // Taken items are released from time to time, so that a line that never becomes empty stays short.
      batches[index].items.removeFirst(batches[index].start)
      batches[index].start = 0
    }
    guard start == batches.count || start > 32 && start > batches.count / 2 else { return }
    batches.removeFirst(start)
    start = 0
  }

  /// Removes all items for which `isKept` returns false.
  @inlinable mutating func keep(where isKept: (Item, WaitingTicket) -> Bool) {
    batches = batches[start...].compactMap { batch in
      var kept = Batch(number: batch.number)
      kept.items = batch.items[batch.start...].filter {
        isKept($0.item, WaitingTicket(number: $0.number, batch: batch.number))
      }
      return kept.isEmpty ? nil : kept
    }
    start = 0
  }
}
