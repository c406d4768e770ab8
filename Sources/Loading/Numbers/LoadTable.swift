/// A dictionary keyed by `LoadID`, for values that are looked up and changed dozens of times per load. The hash of a
/// number is one multiplication, which is safe only because callers do not choose these numbers. Values are read and
/// changed in place, without a copy.
///
/// Open addressing with linear probing and without tombstones (Knuth, "The Art of Computer Programming" 3, 6.4,
/// algorithms L and R). At most three quarters of the slots are in use, so that all operations are O(1). Slots hold the
/// places of values in an array, because moving large values from slot to slot took a fifth of the time of starting a
/// load. Large storage is released with the last value.
struct LoadTable<Kind, Value> {
  private struct Slot {
    /// The key; 0 for an empty slot, because numbers begin at 1.
    var number: UInt64 = 0
    /// The index of the value.
    var place = 0
  }

  private var slots: ContiguousArray<Slot> = []
  /// The values by place, and `nil` for places without a value. The first place stands for the value of a missing key.
  private var values: ContiguousArray<Value?> = [nil]
  /// The places without a value, except the first.
  private var free: ContiguousArray<Int> = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The keys in no particular order. O(n) for n slots.
  var keys: [LoadID<Kind>] { slots.compactMap { $0.number == 0 ? nil : LoadID(number: $0.number) } }

  /// Accesses the value of a key. An optional chain (`table[id]?.x = y`) changes a value in place, and neither adds nor
  /// removes a value.
  subscript(id: LoadID<Kind>) -> Value? {
    @inline(__always) _read { yield values[place(of: id.number)] }
    set {
      guard let newValue else { return _ = removeValue(forKey: id) }
      if let index = index(of: id.number) {
        values[slots[index].place] = newValue
      } else {
        insert(newValue, for: id.number)
      }
    }
    @inline(__always) _modify { yield &values[place(of: id.number)] }
  }

  @discardableResult
  mutating func removeValue(forKey id: LoadID<Kind>) -> Value? {
    guard let index = index(of: id.number) else { return nil }
    let place = slots[index].place
    let value = values[place].take()
    free.append(place)
    close(index)
    return value
  }

  // MARK: Slots

  private static var keptCapacity: Int { 1024 }

  private var mask: Int { slots.count - 1 }

  /// Returns the preferred slot of a number: the upper bits of the product with 2^64 divided by the golden ratio.
  /// Numbers that count up in constant steps are spread evenly (Knuth, 6.4).
  private func home(of number: UInt64) -> Int {
    // The width of the product, not that of `Int`, which may be 32 bits.
    let shift = UInt64.bitWidth - mask.nonzeroBitCount
    return Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(shift))
  }

  private func index(of number: UInt64) -> Int? {
    guard count > 0 else { return nil }
    var index = home(of: number)
    while slots[index].number != number {
      if slots[index].number == 0 { return nil }
      index = (index + 1) & mask
    }
    return index
  }

  /// Returns the place of the value of a number; 0, which has none, for an unknown number.
  private func place(of number: UInt64) -> Int { index(of: number).map { slots[$0].place } ?? 0 }

  /// Adds the value of a number that is not in the table.
  private mutating func insert(_ value: Value, for number: UInt64) {
    if 4 * (count + 1) > 3 * slots.count { grow() }
    count += 1
    if let place = free.popLast() {
      values[place] = value
      occupy(Slot(number: number, place: place))
    } else {
      values.append(value)
      occupy(Slot(number: number, place: values.count - 1))
    }
  }

  /// Fills the first free slot from the preferred one on.
  private mutating func occupy(_ slot: Slot) {
    var index = home(of: slot.number)
    while slots[index].number != 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: Slot(), count: max(16, 2 * old.count))
    for slot in old where slot.number != 0 { occupy(slot) }
  }

  /// Empties a slot whose value was removed, and moves the following ones up as far as their preferred slots allow.
  private mutating func close(_ index: Int) {
    var (gap, next) = (index, (index + 1) & mask)
    while slots[next].number != 0 {
      let distance = (next - home(of: slots[next].number)) & mask
      if distance >= (next - gap) & mask {
        slots[gap] = slots[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    slots[gap] = Slot()
    count -= 1
    if count == 0, slots.count > Self.keptCapacity { (slots, values, free) = ([], [nil], []) }
  }
}

extension LoadTable: Sendable where Value: Sendable {}
