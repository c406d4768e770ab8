/// A table of values by lane. Each lane has a small number, so that the name of a host is hashed once for each download
/// instead of at each step.
///
/// A number stays valid until its lane is removed, and is then reused. All operations are O(1), amortized.
struct LaneTable<Value> {
  typealias Lane = DownloadQueue.Lane

  private struct Entry {
    let lane: Lane
    var value: Value
  }

  private var numbers: [Lane: Int] = [:]
  private var entries: [Entry?] = []
  private var free: [Int] = []

  var count: Int { numbers.count }

  /// The numbers of all lanes, in no order.
  var all: some Collection<Int> { numbers.values }

  func number(of lane: Lane) -> Int? { numbers[lane] }

  /// Returns the lane that was inserted under `number`, which must be valid, as in all operations that take a number.
  func lane(_ number: Int) -> Lane { entries[number]!.lane }

  subscript(number: Int) -> Value {
    get { entries[number]!.value }
    _modify { yield &entries[number]!.value }
  }

  /// Inserts a lane that is not in the table. Returns the number of the lane.
  mutating func insert(_ lane: Lane, _ value: Value) -> Int {
    let number = free.popLast() ?? entries.count
    if number == entries.count { entries.append(nil) }
    entries[number] = Entry(lane: lane, value: value)
    numbers[lane] = number
    return number
  }

  mutating func remove(_ number: Int) {
    guard let entry = entries[number].take() else { return }
    numbers[entry.lane] = nil
    free.append(number)
    // Emptied arrays and dictionaries would keep their storage.
    if numbers.isEmpty, entries.count > 16 { self = LaneTable() }
  }
}
