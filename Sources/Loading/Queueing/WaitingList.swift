/// Items that wait: the highest priority first, and within a priority by arrival, from either end.
///
/// A line a priority; what is removed from the middle leaves a gap that is skipped later, so every operation
/// is O(1), amortised.
struct WaitingList<Item: Hashable & Sendable>: Sendable {
  /// Who is next.
  struct Head {
    let item: Item
    let priority: ImageRequest.Priority
    let number: UInt64
  }

  private struct Ticket: Sendable {
    let item: Item
    let number: UInt64
  }

  /// Tickets from `start` on; one whose item waits elsewhere, or no longer, is a gap.
  private struct Line: Sendable {
    var tickets: [Ticket] = []
    var start = 0

    mutating func dropEnd(_ order: Prioritization) {
      guard order == .fifo else {
        tickets.removeLast()
        return
      }
      start += 1
      // What was taken from the front is let go now and then, so that a line that never empties stays short.
      guard start > 32, start > tickets.count / 2 else { return }
      tickets.removeFirst(start)
      start = 0
    }
  }

  private struct Place: Sendable {
    var priority: ImageRequest.Priority
    var number: UInt64
  }

  private var lines = [Line](repeating: Line(), count: ImageRequest.Priority.allCases.count)
  private var places: [Item: Place] = [:]
  private var gaps = 0

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }

  func contains(_ item: Item) -> Bool { places[item] != nil }

  /// Puts an item at the end of its priority's line. `number` grows from call to call.
  mutating func append(_ item: Item, priority: ImageRequest.Priority, number: UInt64) {
    remove(item)
    places[item] = Place(priority: priority, number: number)
    lines[priority.rawValue].tickets.append(Ticket(item: item, number: number))
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
      if let ticket = lineHead(priority, order) {
        return Head(item: ticket.item, priority: priority, number: ticket.number)
      }
    }
    return nil
  }

  private mutating func lineHead(_ priority: ImageRequest.Priority, _ order: Prioritization) -> Ticket? {
    let line = priority.rawValue
    while lines[line].start < lines[line].tickets.count {
      let ticket = lines[line].tickets[order == .fifo ? lines[line].start : lines[line].tickets.count - 1]
      if places[ticket.item]?.number == ticket.number { return ticket }
      gaps -= 1
      lines[line].dropEnd(order)
    }
    lines[line] = Line()
    return nil
  }

  private mutating func closeGaps() {
    for index in lines.indices {
      lines[index].tickets = lines[index].tickets[lines[index].start...].filter {
        places[$0.item]?.number == $0.number
      }
      lines[index].start = 0
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
}
