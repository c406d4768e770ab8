/// A ring buffer of the latest events. Its storage grows by blocks, because moving all events to larger storage would leave
/// gaps of hundreds of kilobytes in the heap.
struct EventRing {
  private static let blockLength = 64

  /// The maximum number of events, at least 1.
  private let capacity: Int
  private var blocks: [[TraceEvent]] = []
  /// The number of events recorded since the last `removeAll`, including those that were overwritten.
  private(set) var count = 0

  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// The events in the order of recording. O(events).
  var events: [TraceEvent] {
    let stored = blocks.joined()
    guard count > capacity else { return Array(stored) }
    let oldest = count % capacity
    return Array(stored.dropFirst(oldest)) + stored.prefix(oldest)
  }

  /// The number of events that have been overwritten.
  var lostCount: Int { max(0, count - capacity) }

  /// Records an event, in place of the oldest if the buffer is full. O(1).
  mutating func append(_ event: TraceEvent) {
    let (block, position) = (count % capacity).quotientAndRemainder(dividingBy: Self.blockLength)
    if block == blocks.count {
      blocks.append([])
      blocks[block].reserveCapacity(min(Self.blockLength, capacity - block * Self.blockLength))
    }
    if position < blocks[block].count {
      blocks[block][position] = event
    } else {
      blocks[block].append(event)
    }
    count += 1
  }

  mutating func removeAll() {
    blocks = []
    count = 0
  }
}
