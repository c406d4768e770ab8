/// How long a transfer has waited for memory. Times in nanoseconds.
struct PauseTime {
  private var began: Int64?
  private var sum: Int64 = 0

  /// A wait begins, unless one runs.
  mutating func begin(at now: Int64) { began = began ?? now }

  /// The wait is over.
  mutating func end(at now: Int64) {
    if let began { sum &+= max(0, now &- began) }
    began = nil
  }

  /// Seconds waited so far.
  func seconds(at now: Int64) -> Double { Double(sum &+ (began.map { max(0, now &- $0) } ?? 0)) / 1e9 }
}
