/// The total time for which a transfer has waited for memory. Times are in nanoseconds.
struct PauseTime {
  private var began: Int64?
  private var sum: Int64 = 0

  /// Begins a wait, unless one is running.
  mutating func begin(at now: Int64) { began = began ?? now }

  /// Ends the wait.
  mutating func end(at now: Int64) {
    if let began { sum &+= max(0, now &- began) }
    began = nil
  }

  /// Returns the number of seconds waited so far.
  func seconds(at now: Int64) -> Double { Double(sum &+ (began.map { max(0, now &- $0) } ?? 0)) / 1e9 }
}
