/// A table of values by lane. Each lane has a small number, so that the name of a host is hashed once for each download
/// instead of at each step.
///
/// A number stays valid until its lane is removed, and is then reused. All operations are O(1), amortized.
struct LaneTable<Value> {
  typealias Lane = DownloadQueue.Lane

  private var numbers: [Lane: Int] = [:]
  /// The lanes by number; `nil` for free numbers.
  private var lanes: [Lane?] = []
  /// The values by number; `vacant` for free numbers. An array without optionals gives access to one property of a
  /// value without a copy of the whole value.
  private var values: [Value] = []
  private var free: [Int] = []
  private let vacant: Value

  /// Creates an empty table.
  ///
  /// - Parameter vacant: A value that takes the place of removed values.
  init(vacant: Value) { self.vacant = vacant }

  var count: Int { numbers.count }

  /// The numbers of all lanes, in no order.
  var all: some Collection<Int> { numbers.values }

  func number(of lane: Lane) -> Int? { numbers[lane] }

  /// Returns the lane that was inserted under `number`, which must be valid, as in all operations that take a number.
  func lane(_ number: Int) -> Lane { lanes[number]! }

  subscript(number: Int) -> Value {
    _read { yield values[number] }
    _modify { yield &values[number] }
  }

  /// Inserts a lane that is not in the table. Returns the number of the lane.
  mutating func insert(_ lane: Lane, _ value: Value) -> Int {
    numbers[lane] = free.last ?? lanes.count
    guard let number = free.popLast() else {
      lanes.append(lane)
      values.append(value)
      return lanes.count - 1
    }
    lanes[number] = lane
    values[number] = value
    return number
  }

  mutating func remove(_ number: Int) {
    guard let lane = lanes[number].take() else { return }
    values[number] = vacant
    numbers[lane] = nil
    free.append(number)
    // Emptied arrays and dictionaries would keep their storage.
    if numbers.isEmpty, lanes.count > 16 { self = LaneTable(vacant: vacant) }
  }
}
