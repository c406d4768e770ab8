/// Finds a place by a hash that was worked out before: open addressing, linear probing, no gaps left behind.
///
/// A dictionary would hash the hash again, which is a fifth of what a memory hit takes.
struct PlaceIndex {
  /// Eight bytes, so that a probe touches one line of the processor's cache.
  private struct Slot {
    var hash: UInt32
    /// Below 0 where there is none.
    var place: Int32

    static let empty = Slot(hash: 0, place: -1)
  }

  /// As many as a power of two, at least a quarter of them empty.
  private var slots: [Slot] = []
  private var count = 0

  /// The place that was put in under `hash` and that `isWanted`; below 0 where there is none.
  func place(_ hash: Int, where isWanted: (Int) -> Bool) -> Int {
    guard !slots.isEmpty else { return -1 }
    let hash = UInt32(truncatingIfNeeded: hash)
    var index = home(of: hash)
    while slots[index].place >= 0 {
      if slots[index].hash == hash, isWanted(Int(slots[index].place)) { return Int(slots[index].place) }
      index = (index + 1) & (slots.count - 1)
    }
    return -1
  }

  /// Adds a place that is not there.
  mutating func insert(_ place: Int, hash: Int) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    count += 1
    add(Slot(hash: UInt32(truncatingIfNeeded: hash), place: Int32(place)))
  }

  /// Puts a place where another one is.
  mutating func replace(_ place: Int, with other: Int, hash: Int) {
    slots[index(of: place, hash)].place = Int32(other)
  }

  /// Takes out a place that is there.
  mutating func remove(_ place: Int, hash: Int) {
    count -= 1
    let mask = slots.count - 1
    var gap = index(of: place, hash)
    var next = (gap + 1) & mask
    // What was pushed along by what goes moves up, so that no probe ends at the gap too early.
    while slots[next].place >= 0 {
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

  private func index(of place: Int, _ hash: Int) -> Int {
    var index = home(of: UInt32(truncatingIfNeeded: hash))
    while slots[index].place != place {
      precondition(slots[index].place >= 0, "only places that are there are moved or removed")
      index = (index + 1) & (slots.count - 1)
    }
    return index
  }

  private mutating func add(_ slot: Slot) {
    var index = home(of: slot.hash)
    while slots[index].place >= 0 { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: .empty, count: max(16, old.count * 2))
    for slot in old where slot.place >= 0 { add(slot) }
  }
}
