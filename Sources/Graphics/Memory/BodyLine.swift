/// The bodies that wait for memory, and the single body that may exceed the bodies' share. Decides only.
///
/// At most one body at a time may exceed the share. That body is the oldest that waits, and it keeps the right until it
/// ends. Bodies can therefore never block each other, and together they pass the share by at most one body.
struct BodyLine {
  /// A body to try now.
  struct Candidate: Equatable {
    let body: UInt64
    let bytes: Int
    let mayExceed: Bool
  }

  /// Bytes that each waiting body asks for. Numbers grow with age: the lowest is the oldest.
  private var wanted: [UInt64: Int] = [:]
  /// The body that may exceed the share; nil if none has had to wait.
  private(set) var exceeding: UInt64?

  /// True if a body waits.
  var isWaiting: Bool { !wanted.isEmpty }

  /// A body has asked for memory and has found no room.
  mutating func wait(_ body: UInt64, for bytes: Int) {
    wanted[body] = bytes
    exceeding = exceeding ?? wanted.keys.min()
  }

  /// A body waits no longer, because it has been given its memory. Returns false if it did not wait.
  @discardableResult
  mutating func stopWaiting(_ body: UInt64) -> Bool { wanted.removeValue(forKey: body) != nil }

  /// A body is no longer under way. The right to exceed the share passes to the oldest that waits.
  mutating func end(_ body: UInt64) {
    wanted[body] = nil
    if exceeding == body { exceeding = wanted.keys.min() }
  }

  /// The waiting bodies, the one that may exceed the share first, the others from the oldest to the youngest.
  var candidates: [Candidate] {
    wanted.sorted { a, b in
      (a.key != exceeding ? 1 : 0, a.key) < (b.key != exceeding ? 1 : 0, b.key)
    }.map { Candidate(body: $0.key, bytes: $0.value, mayExceed: $0.key == exceeding) }
  }
}
