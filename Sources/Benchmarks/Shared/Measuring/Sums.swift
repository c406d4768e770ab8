import Synchronization

/// Named sums, to which several threads add numbers.
final class Sums: Sendable {
  private let sums = Mutex<[String: (sum: Double, count: Int)]>([:])

  func add(_ name: String, _ value: Double) {
    sums.withLock {
      let old = $0[name] ?? (0, 0)
      $0[name] = (old.sum + value, old.count + 1)
    }
  }

  var means: [String: Double] {
    sums.withLock { $0.mapValues { $0.sum / Double($0.count) } }
  }
}
