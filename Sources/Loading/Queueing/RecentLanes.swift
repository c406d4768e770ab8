/// A bounded set of lanes; the ones that were added longest ago are forgotten.
struct RecentLanes {
  /// Lanes that are remembered in any case. Up to twice as many are kept between two clean-ups.
  static let limit = 128

  private var numbers: [DownloadQueue.Lane: UInt64] = [:]
  private var lastNumber: UInt64 = 0

  var count: Int { numbers.count }

  func contains(_ lane: DownloadQueue.Lane) -> Bool { !numbers.isEmpty && numbers[lane] != nil }

  /// O(1), amortised.
  mutating func insert(_ lane: DownloadQueue.Lane) {
    lastNumber += 1
    numbers[lane] = lastNumber
    guard numbers.count > 2 * Self.limit else { return }
    let newest = numbers.sorted { $0.value > $1.value }.prefix(Self.limit)
    numbers = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
  }
}
