/// Items that wait: the highest priority first, and within a priority by arrival, in an order that may change.
///
/// A line a priority, in batches; what is removed from the middle leaves a gap that is skipped later, so every operation
/// is O(1), amortised.
struct WaitingList<Item: Hashable & Sendable>: Sendable {
  /// Who is next.
  struct Head {
    let item: Item
    let priority: ImageRequest.Priority
    let ticket: WaitingTicket

    /// Whether this one goes before the head of another line.
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

  /// Puts an item into its priority's line, by `number`, which is at the end unless it stood elsewhere before. Numbers
  /// are used once; a larger one never comes with a smaller `batch`.
  mutating func append(
    _ item: Item, priority: ImageRequest.Priority, number: UInt64, batch: UInt64 = 0
  ) {
    remove(item)
    places[item] = Place(priority: priority, number: number)
    lines[priority.rawValue].append(item, WaitingTicket(number: number, batch: batch))
  }

  /// Whether it was waiting.
  @discardableResult
  mutating func remove(_ item: Item) -> Bool {
    guard places.removeValue(forKey: item) != nil else { return false }
    gaps += 1
    if gaps > places.count + 32 { closeGaps() }
    return true
  }

  /// The next item, which stays in the list.
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

/// Which of the waiting downloads of one priority starts next (AF-F23).
public enum Prioritization: Hashable, Sendable {
  /// The one that came first.
  case fifo
  /// The one that came last: what was asked for most recently is what the user looks at.
  case lifo
  /// Of what was asked for at once the one that came first, and what was asked for last before all else: a screen fills
  /// from its top, and what is scrolled to goes before what was scrolled past. At once is less than 5 ms after another.
  case newestBatch
}
