import VitrineGraphics

/// A finger that drags pages: the position that it holds, and the page to which its release leads.
nonisolated struct PageDrag {
  /// The velocity in points per second from which a released finger turns the page.
  static let minimumVelocity = 300.0

  /// The position at the beginning of the drag.
  private var start: Double
  /// The position that the finger holds at `location`.
  private var held: Double
  /// The location of the finger in points; `nil` if the next location is to be taken.
  private var location: Double?
  /// The slots that the drag can reach.
  private var limits: ClosedRange<Int>

  /// Begins to follow a finger at a horizontal location in points.
  ///
  /// - Parameters:
  ///   - position: The position of the pages, which may be in motion.
  ///   - slot: The slot at rest, or the destination of the motion.
  init(at location: Double, position: Double, slot: Int, in geometry: PageGeometry) {
    start = position
    held = geometry.held(forShown: position)
    self.location = location
    limits = min(slot - 1, Int(position.rounded(.down)))...max(slot + 1, Int(position.rounded(.up)))
  }

  /// Returns the position for a location of the finger; `nil` if the pages stay where they are.
  mutating func position(at new: Double, in geometry: PageGeometry) -> Double? {
    guard let location else {
      location = new
      return nil
    }
    let shown = geometry.shown(forHeld: held - (new - location) / geometry.pitch)
    return shown.clamped(to: Double(limits.lowerBound)...Double(limits.upperBound))
  }

  /// Returns the slot to which the pages go after the finger is lifted.
  ///
  /// - Parameters:
  ///   - position: The position of the pages.
  ///   - slot: The slot before the drag.
  ///   - velocity: The velocity of the pages in points per second.
  func destination(at position: Double, slot: Int, velocity: Double) -> Int {
    guard abs(velocity) >= Self.minimumVelocity else { return limited(Int(position.rounded())) }
    let direction = velocity > 0 ? 1 : -1
    // A flick that interrupts a motion in its own direction leads one page further than that motion, so that quick flicks
    // are not lost.
    let wasAhead = (Double(slot) - start) * Double(direction) > 0
    let hasMovedOn = (position - start) * Double(direction) > 0
    if wasAhead, hasMovedOn { return slot + direction }
    return limited(velocity > 0 ? Int(position.rounded(.down)) + 1 : Int(position.rounded(.up)) - 1)
  }

  private func limited(_ slot: Int) -> Int { max(limits.lowerBound, min(limits.upperBound, slot)) }

  /// Holds a position at the next location of the finger, whose location may have other coordinates from now on.
  mutating func hold(_ position: Double, in geometry: PageGeometry) {
    held = geometry.held(forShown: position)
    location = nil
  }

  /// Gives the slots other numbers.
  mutating func shift(by slots: Int) {
    start += Double(slots)
    limits = limits.lowerBound + slots...limits.upperBound + slots
  }
}
