/// Values by `LoadID`, as a dictionary keeps them, for what is looked up and changed dozens of times a load: a number
/// is found by one multiplication, not by a hash that withstands chosen keys, and a value is read and changed where it
/// lies, not copied, or moved out and in again.
///
/// Open addressing with linear probing and without tombstones (Knuth, "The Art of Computer Programming" 3, 6.4,
/// algorithms L and R); at most three quarters full, so that all operations are O(1). Much room that was taken once is
/// let go when the last value goes.
struct LoadTable<Stage, Value> {
  /// 0 where there is none: numbers begin at 1.
  private var numbers: ContiguousArray<UInt64> = []
  /// One more than numbers: nil, for what is not there.
  private var values: ContiguousArray<Value?> = [nil]
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// In no order. O(room).
  var keys: [LoadID<Stage>] { numbers.compactMap { $0 == 0 ? nil : LoadID(number: $0) } }

  /// A value is changed where it lies by an optional chain (`table[id]?.x = y`), which neither adds nor removes one.
  subscript(id: LoadID<Stage>) -> Value? {
    @inline(__always) get { place(of: id.number).flatMap { values[$0] } }
    set {
      guard let newValue else { return _ = removeValue(forKey: id) }
      values[place(of: id.number) ?? insert(id.number)] = newValue
    }
    @inline(__always) _modify { yield &values[place(of: id.number) ?? numbers.count] }
  }

  @discardableResult
  mutating func removeValue(forKey id: LoadID<Stage>) -> Value? {
    guard let place = place(of: id.number) else { return nil }
    let value = values[place].take()
    close(place)
    return value
  }

  // MARK: Places

  private static var roomToKeep: Int { 1024 }

  private var mask: Int { numbers.count - 1 }

  /// Where a number belongs: the upper bits of its product with 2^64 divided by the golden ratio, which spreads numbers
  /// that are counted up, in any step, as evenly as can be (Knuth, 6.4).
  private func home(of number: UInt64) -> Int {
    // The width of the product, not that of `Int`, which may be 32 bits.
    let shift = UInt64.bitWidth - mask.nonzeroBitCount
    return Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(shift))
  }

  private func place(of number: UInt64) -> Int? {
    guard count > 0 else { return nil }
    var place = home(of: number)
    while numbers[place] != number {
      if numbers[place] == 0 { return nil }
      place = (place + 1) & mask
    }
    return place
  }

  /// A place without a value, which is to be given one or closed.
  private mutating func insert(_ number: UInt64) -> Int {
    if 4 * (count + 1) > 3 * numbers.count { grow() }
    var place = home(of: number)
    while numbers[place] != 0 { place = (place + 1) & mask }
    numbers[place] = number
    count += 1
    return place
  }

  private mutating func grow() {
    var old = self
    let room = max(16, 2 * numbers.count)
    numbers = ContiguousArray(repeating: 0, count: room)
    values = ContiguousArray(repeating: nil, count: room + 1)
    count = 0
    for (place, number) in old.numbers.enumerated() where number != 0 {
      values[insert(number)] = old.values[place].take()
    }
  }

  /// Lets those that stand behind a place from which a value has gone move up, as far as their homes allow.
  private mutating func close(_ place: Int) {
    var (gap, next) = (place, (place + 1) & mask)
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
    if count == 0, numbers.count > Self.roomToKeep { (numbers, values) = ([], [nil]) }
  }
}

extension LoadTable: Sendable where Value: Sendable {}
