/// A dictionary keyed by `LoadID`, for values that are looked up and changed dozens of times per load. The hash of a
/// number is one multiplication, which does not withstand chosen keys. Values are read and changed in place, without a
/// copy.
///
/// Open addressing with linear probing and without tombstones (Knuth, "The Art of Computer Programming" 3, 6.4,
/// algorithms L and R). At most three quarters of the slots are in use, so that all operations are O(1). Large storage
/// is released with the last value.
struct LoadTable<Kind, Value> {
  /// The key of each slot; 0 for an empty slot, because numbers begin at 1.
  private var numbers: ContiguousArray<UInt64> = []
  /// The value of each slot, and one more `nil`, which stands for the value of a missing key.
  private var values: ContiguousArray<Value?> = [nil]
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The keys in no particular order. O(n) for n slots.
  var keys: [LoadID<Kind>] { numbers.compactMap { $0 == 0 ? nil : LoadID(number: $0) } }

  /// Accesses the value of a key. An optional chain (`table[id]?.x = y`) changes a value in place, and neither adds nor
  /// removes a value.
  subscript(id: LoadID<Kind>) -> Value? {
    @inline(__always) _read { yield values[index(of: id.number) ?? numbers.count] }
    set {
      if case nil = newValue { return _ = removeValue(forKey: id) }
      values[index(of: id.number) ?? insert(id.number)] = newValue
    }
    @inline(__always) _modify { yield &values[index(of: id.number) ?? numbers.count] }
  }

  @discardableResult
  mutating func removeValue(forKey id: LoadID<Kind>) -> Value? {
    guard let index = index(of: id.number) else { return nil }
    let value = values[index].take()
    close(index)
    return value
  }

  // MARK: Slots

  private static var keptCapacity: Int { 1024 }

  private var mask: Int { numbers.count - 1 }

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
    while numbers[index] != number {
      if numbers[index] == 0 { return nil }
      index = (index + 1) & mask
    }
    return index
  }

  /// Adds a number and returns the slot, which is still without a value. The caller sets the value or calls `close`.
  private mutating func insert(_ number: UInt64) -> Int {
    if 4 * (count + 1) > 3 * numbers.count { grow() }
    var index = home(of: number)
    while numbers[index] != 0 { index = (index + 1) & mask }
    numbers[index] = number
    count += 1
    return index
  }

  private mutating func grow() {
    var old = self
    let room = max(16, 2 * numbers.count)
    numbers = ContiguousArray(repeating: 0, count: room)
    values = ContiguousArray(repeating: nil, count: room + 1)
    count = 0
    for (index, number) in old.numbers.enumerated() where number != 0 {
      values[insert(number)] = old.values[index].take()
    }
  }

  /// Empties a slot whose value was removed. Following entries move up as far as their preferred slots allow.
  private mutating func close(_ index: Int) {
    var (gap, next) = (index, (index + 1) & mask)
    while numbers[next] != 0 {
      let distance = (next - home(of: numbers[next])) & mask
      if distance >= (next - gap) & mask {
        numbers[gap] = numbers[next]
        values[gap] = values[next].take()
        gap = next
      }
      next = (next + 1) & mask
    }
    numbers[gap] = 0
    count -= 1
    if count == 0, numbers.count > Self.keptCapacity { (numbers, values) = ([], [nil]) }
  }
}

extension LoadTable: Sendable where Value: Sendable {}
