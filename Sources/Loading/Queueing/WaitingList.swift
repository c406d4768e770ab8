/// Waiting items, the highest priority first, and within a priority by arrival in an order that may change.
///
/// There is a line of batches for each priority. An item that is removed from the middle leaves a gap that is skipped
/// later, so every operation is O(1), amortized.
struct WaitingList<Item: Hashable & Sendable>: Sendable {
  /// The next item with its position.
  struct Head {
    let item: Item
    let priority: ImageRequest.Priority
    let ticket: WaitingTicket

    /// Returns true if this item goes before the head of another list.
    func goes(before other: Head, in order: Prioritization) -> Bool {
      guard priority == other.priority else { return priority > other.priority }
      let (a, b) = (ticket, other.ticket)
      return switch order {
      case .fifo: a.number < b.number
      case .lifo: a.number > b.number
      case .newestBatch: a.batch == b.batch ? a.number < b.number : a.batch > b.batch
      }
    }
  }

  private struct Place: Sendable {
    var priority: ImageRequest.Priority
    var number: UInt64
  }

  private var lines = [WaitingLine<Item>](repeating: .init(), count: ImageRequest.Priority.allCases.count)
  private var places: [Item: Place] = [:]
  private var gaps = 0

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }

  func contains(_ item: Item) -> Bool { places[item] != nil }

  /// Adds an item to the line of the priority, at the position of `number`: at the end, unless the item was in another
  /// line before. A number is used once, and a larger number never has a smaller `batch`.
  mutating func append(
    _ item: Item, priority: ImageRequest.Priority, number: UInt64, batch: UInt64 = 0
  ) {
    remove(item)
    places[item] = Place(priority: priority, number: number)
    lines[priority.rawValue].append(item, WaitingTicket(number: number, batch: batch))
  }

  /// Removes an item. Returns true if the item was waiting.
  @discardableResult
  mutating func remove(_ item: Item) -> Bool {
    guard places.removeValue(forKey: item) != nil else { return false }
    gaps += 1
    if gaps > places.count + 32 { closeGaps() }
    return true
  }

  /// Returns the next item, which stays in the list.
  mutating func head(_ order: Prioritization) -> Head? {
    guard !places.isEmpty else { return nil }
    for priority in ImageRequest.Priority.allCases.reversed() {
      while let (item, ticket) = lines[priority.rawValue].end(order) {
        if places[item]?.number == ticket.number {
          return Head(item: item, priority: priority, ticket: ticket)
        }
        gaps -= 1
        lines[priority.rawValue].dropEnd(order)
      }
    }
    return nil
  }

  private mutating func closeGaps() {
    for index in lines.indices {
      lines[index].keep { item, ticket in places[item]?.number == ticket.number }
    }
    gaps = 0
  }
}

/// The order in which waiting downloads of the same priority start.
public enum Prioritization: Hashable, Sendable {
  /// First in, first out.
  case fifo
  /// Last in, first out, because the user looks at the images that were requested last.
  case lifo
  /// The newest batch first, and within a batch first in, first out: a screen fills from its top, and images that are
  /// scrolled to go before images that were scrolled past. A download that follows another within 5 ms is in the same
  /// batch.
  case newestBatch
}
