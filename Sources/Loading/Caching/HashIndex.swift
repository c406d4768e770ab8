/// A hash table that maps precomputed hashes to indices, with open addressing and linear probing. A removal leaves no
/// gap.
///
/// A `Dictionary` would hash the hash again, which takes a fifth of the time of a memory hit.
struct HashIndex {
  /// A slot of the table. Eight bytes, so that a probe reads one cache line of the processor.
  private struct Slot {
    var hash: UInt32
    /// The index of the entry; negative in an empty slot.
    var entry: Int32

    static let empty = Slot(hash: 0, entry: -1)
  }

  /// The slots: a power of two of them, at least a quarter of which are empty. No slots before the first insert.
  private var slots: [Slot] = []
  private var count = 0

  /// Returns the index that was inserted under `hash` and that satisfies `isMatch`; -1 if there is none.
  func entry(_ hash: Int, where isMatch: (Int) -> Bool) -> Int {
    guard !slots.isEmpty else { return -1 }
    let hash = UInt32(truncatingIfNeeded: hash)
    var index = home(of: hash)
    while slots[index].entry >= 0 {
      if slots[index].hash == hash, isMatch(Int(slots[index].entry)) { return Int(slots[index].entry) }
      index = (index + 1) & (slots.count - 1)
    }
    return -1
  }

  /// Adds an index that is not in the table.
  mutating func insert(_ entry: Int, hash: Int) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    count += 1
    add(Slot(hash: UInt32(truncatingIfNeeded: hash), entry: Int32(entry)))
  }

  /// Replaces an index in the table with another index that has an equal hash.
  mutating func replace(_ entry: Int, with newEntry: Int, hash: Int) {
    slots[index(of: entry, hash)].entry = Int32(newEntry)
  }

  /// Removes an index that is in the table.
  mutating func remove(_ entry: Int, hash: Int) {
    count -= 1
    let mask = slots.count - 1
    var gap = index(of: entry, hash)
    var next = (gap + 1) & mask
    // Later slots that were displaced by the removed one move up, so that no probe ends at the gap too early.
    while slots[next].entry >= 0 {
      let distance = (next - home(of: slots[next].hash)) & mask
      if distance >= (next - gap) & mask {
        slots[gap] = slots[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    slots[gap] = .empty
  }

  private func home(of hash: UInt32) -> Int { Int(truncatingIfNeeded: hash) & (slots.count - 1) }

  private func index(of entry: Int, _ hash: Int) -> Int {
    var index = home(of: UInt32(truncatingIfNeeded: hash))
    while slots[index].entry != entry {
      precondition(slots[index].entry >= 0, "only entries in the table are moved or removed")
      index = (index + 1) & (slots.count - 1)
    }
    return index
  }

  private mutating func add(_ slot: Slot) {
    var index = home(of: slot.hash)
    while slots[index].entry >= 0 { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: .empty, count: max(16, old.count * 2))
    for slot in old where slot.entry >= 0 { add(slot) }
  }
}
