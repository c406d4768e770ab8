/// The pairs of rows with equal identifiers in two lists, for `ListChanges`.
struct ListMatches: Hashable, Sendable {
  /// The entry of a row without a match.
  private static let none: Int32 = -1

  private let oldCount: Int
  private let newCount: Int
  /// The match of each old row; empty before `match`.
  private var newRows: [Int32] = []
  /// The match of each new row; empty before `match`.
  private var oldRows: [Int32] = []
  /// True for each old row that is moved; empty if no row is.
  private var moved: [Bool] = []

  /// Creates a value without matches.
  init(oldCount: Int, newCount: Int) {
    self.oldCount = oldCount
    self.newCount = newCount
  }

  func newRow(of oldRow: Int) -> Int? { Self.row(newRows, oldRow) }
  func oldRow(of newRow: Int) -> Int? { Self.row(oldRows, newRow) }
  func isMoved(_ oldRow: Int) -> Bool { moved.indices.contains(oldRow) && moved[oldRow] }

  private static func row(_ rows: [Int32], _ index: Int) -> Int? {
    guard rows.indices.contains(index), rows[index] != none else { return nil }
    return Int(rows[index])
  }

  /// Matches rows with equal identifiers, in the order of their occurrence. Lists too long for 32-bit numbers are not
  /// matched.
  mutating func match<ID: Hashable>(oldID: (Int) -> ID, newID: (Int) -> ID) {
    guard oldCount > 0, newCount > 0, max(oldCount, newCount) < Int(Int32.max) else { return }
    newRows = Array(repeating: Self.none, count: oldCount)
    oldRows = Array(repeating: Self.none, count: newCount)
    var chains = RowChains(count: oldCount) { oldID($0).hashValue }
    for newRow in 0..<newCount {
      let id = newID(newRow)
      guard let oldRow = chains.takeFirst(of: id.hashValue, where: { oldID($0) == id }) else { continue }
      newRows[oldRow] = Int32(newRow)
      oldRows[newRow] = Int32(oldRow)
    }
    findMoves()
  }

  /// Marks the rows that are not in the longest series of rows with the same order in both lists.
  private mutating func findMoves() {
    var last = Self.none
    let isSorted = oldRows.allSatisfy { oldRow in
      guard oldRow != Self.none else { return true }
      defer { last = oldRow }
      return oldRow > last
    }
    guard !isSorted else { return }
    moved = newRows.map { $0 != Self.none }
    for oldRow in Self.longestIncreasingSeries(oldRows.filter { $0 != Self.none }) {
      moved[Int(oldRow)] = false
    }
  }

  /// Returns a longest series of ascending values, in descending order.
  private static func longestIncreasingSeries(_ values: [Int32]) -> [Int32] {
    /// The index of the smallest last value of a series of each length.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var series: [Int32] = []
    var index = ends.last ?? -1
    while index >= 0 {
      series.append(values[index])
      index = previous[index]
    }
    return series
  }
}

/// The rows of a list by the hash of their identifiers. Rows with equal hashes form a chain in their order. Takes less
/// memory than a dictionary of identifiers, which may be long texts.
private struct RowChains {
  private static let end: Int32 = -1

  private var firsts: [Int: Int32] = [:]
  private var nexts: [Int32]

  init(count: Int, hash: (Int) -> Int) {
    nexts = Array(repeating: Self.end, count: count)
    firsts.reserveCapacity(count)
    for row in (0..<count).reversed() {
      let hash = hash(row)
      nexts[row] = firsts[hash] ?? Self.end
      firsts[hash] = Int32(row)
    }
  }

  /// Removes and returns the first row with a hash that meets a condition. Usually the first row of the chain does.
  mutating func takeFirst(of hash: Int, where isMatch: (Int) -> Bool) -> Int? {
    var previous: Int32?
    var row = firsts[hash] ?? Self.end
    while row != Self.end {
      if isMatch(Int(row)) {
        if let previous { nexts[Int(previous)] = nexts[Int(row)] } else { firsts[hash] = nexts[Int(row)] }
        return Int(row)
      }
      previous = row
      row = nexts[Int(row)]
    }
    return nil
  }
}
