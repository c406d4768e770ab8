/// The tries to decode a frame for which there was no memory. Makes decisions only.
///
/// A try that evicts what other memory holders can spare costs them work, so that such tries become rarer and rarer.
/// Between them, a try that takes only what is free or what the pool itself can spare follows when frames of other
/// animations were decoded. If a thread waits for the frame, each try may evict.
struct MemoryBackOff {
  /// The number of demands after the first try until a further try may evict. Doubles with each such try.
  static let demandsUntilRetry = 8
  /// The maximum number of demands between two tries that may evict: 1.3 s at 25 frames a second.
  static let mostDemandsUntilRetry = 32

  /// True if there was no memory for the last frame. No frame is decoded meanwhile.
  private(set) var lacksMemory = false
  /// True if the next try may evict what other memory holders can spare.
  private(set) var mayEvict = true
  /// True while a thread waits for a frame: the next try may then take the memory of animations that are played.
  private(set) var isUrgent = false
  /// The number of demands since the last try that could evict.
  private var demands = 0
  private var demandsUntilRetry = Self.demandsUntilRetry

  /// Counts a demand, after some of which the next try may evict again.
  mutating func countDemand() {
    guard lacksMemory else { return }
    demands += 1
    if demands >= demandsUntilRetry {
      demandsUntilRetry = min(2 * demandsUntilRetry, Self.mostDemandsUntilRetry)
      (lacksMemory, mayEvict) = (false, true)
    }
  }

  /// Allows another try, which may evict only if a thread waits for the frame.
  mutating func retry() {
    guard lacksMemory else { return }
    (lacksMemory, mayEvict) = (false, isUrgent)
  }

  /// Begins or ends an urgent need. Its beginning allows another try.
  mutating func setUrgent(_ isUrgent: Bool) {
    self.isUrgent = isUrgent
    if isUrgent { (lacksMemory, mayEvict) = (false, true) }
  }

  /// Notes that there was no memory for a frame.
  mutating func foundNoMemory() {
    if mayEvict { demands = 0 }
    (lacksMemory, mayEvict) = (true, false)
  }

  /// Notes that there was memory for a frame.
  mutating func foundMemory() {
    (lacksMemory, mayEvict) = (false, true)
    demandsUntilRetry = Self.demandsUntilRetry
  }
}
