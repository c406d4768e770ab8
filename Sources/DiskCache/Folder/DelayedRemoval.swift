import VitrineConcurrency

/// A removal of everything that could not be made at once, for example because there were no descriptors. The removal
/// is made before the next access to the folder; see `CacheContext.open(creating:)`.
struct DelayedRemoval {
  /// The number of seconds for which the folder counts as empty while the removal fails again.
  static let seconds = 60.0

  private var pending: (number: Int, deadline: Int64)?
  private var lastNumber = 0

  /// The number of the removal to make; nil if there is none.
  var number: Int? { pending?.number }

  /// Requests a removal at the time `now` in nanoseconds.
  mutating func request(at now: Int64) {
    lastNumber += 1
    pending = (lastNumber, now.advanced(bySeconds: Self.seconds))
  }

  /// Ends a removal that was made, unless another one has been requested since.
  mutating func end(_ number: Int) { if pending?.number == number { pending = nil } }

  /// Notes that a removal has failed again. Returns true if the removal is given up.
  mutating func fail(_ number: Int, at now: Int64) -> Bool {
    guard let pending, pending.number == number, now >= pending.deadline else { return false }
    self.pending = nil
    return true
  }
}
