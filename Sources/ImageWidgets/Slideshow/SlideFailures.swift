import VitrineGraphics

/// The slides that failed to load, and the times from which they are tried again.
nonisolated struct SlideFailures: Hashable {
  /// The delay in seconds before a failed slide is tried again, doubled with each further failure.
  static let firstDelay = 5.0
  /// The maximum delay in seconds.
  static let longestDelay = 300.0
  /// The number of failures in a row that are followed by the next slide at once.
  static let quickAttempts = 8
  /// The pause in seconds after each further failure in a row, so that a list without a usable image costs little.
  static let pause = 0.25

  private struct Failure: Hashable {
    var count: Int
    var retry: Double
  }

  private var failures: [Int: Failure] = [:]
  /// The number of failures since a slide was loaded.
  private var inARow = 0
  /// The time before which no slide is tried.
  private(set) var pauseEnd = -Double.infinity

  /// Returns true if a slide may be tried.
  func isAvailable(_ slide: Int, at now: Double) -> Bool {
    failures.isEmpty || failures[slide].map { $0.retry <= now } ?? true
  }

  /// The earliest time at which a failed slide may be tried again; `nil` without failures. O(failures).
  var nextRetry: Double? { failures.values.lazy.map(\.retry).min() }

  mutating func record(_ slide: Int, at now: Double) {
    let count = (failures[slide]?.count ?? 0) + 1
    let delay = min(Self.longestDelay, Self.firstDelay * Double(1 << min(count - 1, 10)))
    failures[slide] = Failure(count: count, retry: now + delay)
    inARow += 1
    pauseEnd = inARow > Self.quickAttempts ? now + Self.pause : now
  }

  /// Forgets the failures of a slide that has loaded.
  mutating func remove(_ slide: Int) {
    failures[slide] = nil
    inARow = 0
    pauseEnd = -.infinity
  }

  /// Makes all slides available, for example because the network is back. The delays keep growing.
  mutating func retryAll(at now: Double) {
    failures = failures.mapValues { Failure(count: $0.count, retry: min($0.retry, now)) }
    inARow = 0
    pauseEnd = -.infinity
  }

  mutating func apply(_ changes: ListChanges) {
    guard !failures.isEmpty else { return }
    var kept: [Int: Failure] = [:]
    for (slide, failure) in failures { if let row = changes.newRow(of: slide) { kept[row] = failure } }
    failures = kept
  }
}
