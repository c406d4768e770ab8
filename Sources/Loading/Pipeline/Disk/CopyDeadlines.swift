/// The times at which callers stop waiting for a server and get the stored response. Times are in nanoseconds.
struct CopyDeadlines {
  private var deadlines: [FetchID: Int64] = [:]
  /// The time of the next call of `takeDue`, before which no deadline lies; `nil` if there are no deadlines.
  private var nextWake: Int64?

  /// Adds a deadline. Returns the time at which to call `takeDue`, unless an earlier call is scheduled.
  mutating func add(_ id: FetchID, at time: Int64) -> Int64? {
    deadlines[id] = min(deadlines[id] ?? .max, time)
    guard time < nextWake ?? .max else { return nil }
    nextWake = time
    return time
  }

  /// Returns the fetches whose deadline has passed, in the order of their start, and the time of the next call unless
  /// that call is scheduled already.
  mutating func takeDue(at now: Int64) -> (due: [FetchID], next: Int64?) {
    // Each call at another time would otherwise schedule one more call, and each of these calls yet another.
    guard let nextWake, now >= nextWake else { return ([], nil) }
    let due = deadlines.filter { $0.value <= now }.keys.sorted()
    for id in due { deadlines[id] = nil }
    let next = deadlines.values.min()
    self.nextWake = next
    return (due, next)
  }
}
