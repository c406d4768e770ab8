/// The queue of bodies that wait for memory, and the single body that may exceed the limit of all bodies
/// (`MemoryLedger.bodyLimit`). Makes decisions only.
///
/// At most one body at a time may exceed the limit: the body that has waited longest, until it ends. Bodies can
/// therefore never block each other, and together they exceed the limit by at most one body.
struct BodyQueue {
  /// A waiting body that should try to reserve memory now.
  struct Candidate: Equatable {
    let body: UInt64
    let bytes: Int
    let mayExceed: Bool
  }

  /// The number of bytes that each waiting body needs. A body with a lower number is older.
  private var neededBytes: [UInt64: Int] = [:]
  /// The body that may exceed the limit; nil if no body has had to wait.
  private(set) var exceeding: UInt64?

  /// True if at least one body waits.
  var isWaiting: Bool { !neededBytes.isEmpty }

  /// Adds a body that found no room for `bytes` bytes.
  mutating func wait(_ body: UInt64, for bytes: Int) {
    neededBytes[body] = bytes
    exceeding = exceeding ?? neededBytes.keys.min()
  }

  /// Removes a body that has received its memory. Returns false if the body was not waiting.
  @discardableResult
  mutating func stopWaiting(_ body: UInt64) -> Bool { neededBytes.removeValue(forKey: body) != nil }

  /// Removes a body that is no longer being received. The right to exceed the limit passes to the oldest waiting body.
  mutating func end(_ body: UInt64) {
    neededBytes[body] = nil
    if exceeding == body { exceeding = neededBytes.keys.min() }
  }

  /// The waiting bodies: first the body that may exceed the limit, then the others from the oldest to the youngest.
  var candidates: [Candidate] {
    neededBytes.sorted { a, b in
      (a.key != exceeding ? 1 : 0, a.key) < (b.key != exceeding ? 1 : 0, b.key)
    }.map { Candidate(body: $0.key, bytes: $0.value, mayExceed: $0.key == exceeding) }
  }
}
