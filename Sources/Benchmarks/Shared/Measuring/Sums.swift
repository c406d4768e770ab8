import Synchronization

/// Named sums and minimums, to which several threads add numbers.
final class Sums: Sendable {
  private let sums = Mutex<[String: (sum: Double, count: Int, minimum: Double)]>([:])

  func add(_ name: String, _ value: Double) {
    sums.withLock {
      let old = $0[name] ?? (0, 0, .infinity)
      $0[name] = (old.sum + value, old.count + 1, min(old.minimum, value))
    }
  }

  var means: [String: Double] {
    sums.withLock { $0.mapValues { $0.sum / Double($0.count) } }
  }

  /// The minimums, whose names get a prefix.
  func minimums(prefix: String) -> [String: Double] {
    let values = sums.withLock { $0.mapValues(\.minimum) }
    return Dictionary(uniqueKeysWithValues: values.map { (prefix + $0.key, $0.value) })
  }
}
