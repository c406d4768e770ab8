/// The time for which an animation has waited for memory, compared with others. The one that has waited for the longest
/// time is the least.
///
/// An animation that needs more memory than comes free must not keep the others waiting: after `triesInTurn` tries without
/// success, the others go first.
struct MemoryWait: Comparable {
  /// The number of tries after which animations with fewer tries go first. With 20 animations that play ten frames a
  /// second, there are about as many tries in a second.
  static let triesInTurn = 256

  /// The number of the job that decoded the last frame.
  private let since: UInt64
  private var tries = 0

  init(since job: UInt64 = 0) { since = job }

  /// True after a try for which there was no memory.
  var hasBegun: Bool { tries > 0 }

  /// Counts a try for which there was no memory.
  mutating func countTry() { tries += 1 }

  static func < (a: MemoryWait, b: MemoryWait) -> Bool {
    (a.tries / triesInTurn, a.since) < (b.tries / triesInTurn, b.since)
  }
}
