/// A bounded set of lanes that drops the lanes added longest ago.
struct RecentLanes {
  /// The number of lanes that are always kept. Up to twice as many are stored between two clean-ups.
  static let limit = 128

  private var numbers: [DownloadQueue.Lane: UInt64] = [:]
  private var lastNumber: UInt64 = 0

  var count: Int { numbers.count }

  func contains(_ lane: DownloadQueue.Lane) -> Bool { !numbers.isEmpty && numbers[lane] != nil }

  /// Adds a lane as the newest. O(1), amortized.
  mutating func insert(_ lane: DownloadQueue.Lane) {
    lastNumber += 1
    numbers[lane] = lastNumber
    guard numbers.count > 2 * Self.limit else { return }
    let newest = numbers.sorted { $0.value > $1.value }.prefix(Self.limit)
    numbers = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
  }
}
