import VitrineGraphics

/// The position of pages that a finger drags or that move by themselves: a state machine without clock and views.
nonisolated struct PageMotion {
  private enum Phase {
    case rest
    case drag(PageDrag)
    case spring(Spring, start: Double)
  }

  private(set) var geometry = PageGeometry()
  private(set) var position = 0.0
  /// The slot at rest, and the destination of a motion. During a drag, the slot before the drag.
  private(set) var slot = 0
  private var phase = Phase.rest
  /// A page beside the destination of a motion, in place of the page that belongs to that slot. A motion over many pages
  /// leads from this page directly to the destination.
  private var standIn: PagePlacement?

  var isDragging: Bool { if case .drag = phase { true } else { false } }
  /// True while the pages move by themselves.
  var isSettling: Bool { if case .spring = phase { true } else { false } }
  /// The page at rest, and the destination of a motion; `nil` without pages.
  var page: Int? { page(at: slot) }

  private func page(at slot: Int) -> Int? { standIn?.slot == slot ? standIn?.page : geometry.page(at: slot) }

  /// Returns the pages in the slots near the destination and in the visible slots, nearest to the position first; of two
  /// equally near, the right one first. Each page has one place only.
  func placements(neighbors: Int) -> [PagePlacement] {
    guard geometry.count > 0 else { return [] }
    let neighbors = min(max(0, neighbors), geometry.count)
    let visible = Int(position.rounded(.down))...Int(position.rounded(.up))
    let slots = Set(slot - neighbors...slot + neighbors).union(visible)
    let ordered = slots.sorted {
      let distances = (abs(Double($0) - position), abs(Double($1) - position))
      return distances.0 == distances.1 ? $0 > $1 : distances.0 < distances.1
    }
    var pages: Set<Int> = []
    return ordered.compactMap { slot in
      guard let page = page(at: slot), pages.insert(page).inserted else { return nil }
      return PagePlacement(slot: slot, page: page)
    }
  }

  // MARK: Drags

  /// Begins to follow a finger at a horizontal location in points. Pages in motion stop under the finger.
  mutating func beginDrag(at location: Double) {
    guard geometry.canMove else { return }
    phase = .drag(PageDrag(at: location, position: position, slot: slot, in: geometry))
  }

  mutating func drag(to location: Double) {
    guard case .drag(var drag) = phase else { return }
    if let moved = drag.position(at: location, in: geometry) { position = moved }
    phase = .drag(drag)
  }

  /// Lets the pages go to the next page in the direction of a fast finger, or else to the nearest page.
  ///
  /// - Parameter velocity: The horizontal velocity of the finger in points per second.
  mutating func endDrag(velocity: Double, at now: Double) {
    guard case .drag(let drag) = phase else { return }
    let destination = geometry.limited(drag.destination(at: position, slot: slot, velocity: -velocity))
    settle(to: destination, velocity: -velocity / geometry.pitch, at: now)
  }

  /// Lets the pages return to the page before the drag.
  mutating func cancelDrag(at now: Double) {
    if isDragging { settle(to: geometry.limited(slot), velocity: 0, at: now) }
  }

  // MARK: Motion

  /// Moves to a page, on the shorter way in a loop. Ends a drag. A page that is more than one page away is shown as if it
  /// were the next one.
  mutating func show(_ page: Int, animated: Bool, at now: Double) {
    guard (0..<geometry.count).contains(page) else { return }
    let destination = geometry.slot(of: page, nearestTo: slot)
    guard animated else {
      slot = destination
      standIn = nil
      return rest()
    }
    let velocity = velocity(at: now)
    if abs(Double(destination) - position) > 1.5 { stepAside(to: destination) }
    if standIn?.slot == destination { standIn = nil }
    settle(to: destination, velocity: velocity, at: now)
  }

  /// Moves to the next page (1) or to the previous one (-1). Returns false at an end. Does nothing while the destination
  /// is more than a page away, so that a held key does not run ahead of the pages.
  mutating func turn(by step: Int, animated: Bool, at now: Double) -> Bool {
    guard geometry.canMove, geometry.page(at: slot + step) != nil else { return false }
    guard !isDragging, abs(Double(slot) - position) <= 1 else { return true }
    if standIn?.slot == slot + step { standIn = nil }
    if animated {
      settle(to: slot + step, velocity: velocity(at: now), at: now)
    } else {
      slot += step
      rest()
    }
    return true
  }

  /// Places the visible page beside the destination.
  private mutating func stepAside(to destination: Int) {
    let visible = geometry.limited(Int(position.rounded()))
    guard let page = page(at: visible), page != geometry.page(at: destination) else { return }
    let place = destination > visible ? destination - 1 : destination + 1
    standIn = PagePlacement(slot: place, page: page)
    position = Double(place) + (position - Double(visible)).clamped(to: -0.5...0.5)
  }

  /// Moves the pages to their place at a time.
  mutating func advance(to now: Double) {
    guard case .spring(let spring, let start) = phase else { return }
    let time = max(0, now - start)
    position = spring.position(after: time)
    let isOver =
      abs(position - spring.target) * geometry.pitch < 0.25
      && abs(spring.velocity(after: time)) * geometry.pitch < 10
    if isOver { rest() }
  }

  /// Returns the velocity of pages that move by themselves, in pages per second.
  private func velocity(at now: Double) -> Double {
    guard case .spring(let spring, let start) = phase else { return 0 }
    return spring.velocity(after: max(0, now - start))
  }

  /// Ends a motion at its destination, and a drag at the page before the drag.
  mutating func rest() {
    phase = .rest
    // Slots of a loop stay near 0, however long the pages move in one direction.
    slot = page ?? 0
    standIn = nil
    position = Double(slot)
  }

  private mutating func settle(to destination: Int, velocity: Double, at now: Double) {
    slot = destination
    let displacement = position - Double(destination)
    guard abs(displacement) * geometry.pitch >= 0.25 else { return rest() }
    // A higher velocity towards the destination would show the page beyond it.
    let limit = -Spring.frequency * displacement
    let velocity = displacement > 0 ? max(velocity, limit) : min(velocity, limit)
    phase = .spring(
      Spring(target: Double(destination), displacement: displacement, velocity: velocity), start: now)
  }

  // MARK: Changes

  /// Changes the width or the gap. The position stays, also during a drag.
  mutating func resize(pageWidth: Double, spacing: Double) {
    guard pageWidth != geometry.pageWidth || spacing != geometry.spacing else { return }
    geometry.pageWidth = pageWidth
    geometry.spacing = spacing
    guard case .drag(var drag) = phase else { return }
    drag.hold(position, in: geometry)
    phase = .drag(drag)
  }

  mutating func setLoops(_ loops: Bool) {
    guard loops != geometry.loops else { return }
    rest()
    geometry.loops = loops
  }

  /// Changes the number of pages. The page stays, or the last one is shown. A motion goes on if the page stays.
  mutating func setCount(_ count: Int) {
    let page = page ?? 0
    geometry.count = max(0, count)
    let isKept = page < geometry.count && geometry.canMove && geometry.page(at: slot) == page
    if isKept, standIn == nil, geometry.range.contains(position) || isDragging { return }
    slot = max(0, min(page, geometry.count - 1))
    standIn = nil
    rest()
  }

  /// Gives the pages their numbers after a change of the list. The page that is shown stays where it is; in place of a
  /// removed page, the one that followed it is shown. A drag and a motion continue.
  mutating func apply(_ changes: ListChanges) {
    guard changes.newCount > 0, let page else { return setCount(changes.newCount) }
    let new = Self.page(replacing: page, changes)
    let shift = new - slot
    if let page = standIn?.page, let newPage = changes.newRow(of: page), newPage != new {
      standIn?.page = newPage
      standIn?.slot += shift
    } else {
      standIn = nil
    }
    geometry.count = changes.newCount
    slot = new
    position += Double(shift)
    switch phase {
    case .rest: break
    case .drag(var drag):
      drag.shift(by: shift)
      drag.hold(position, in: geometry)
      phase = .drag(drag)
    case .spring(var spring, let start):
      spring.target += Double(shift)
      phase = .spring(spring, start: start)
    }
    // The visible pages were beyond those that are left.
    let isOutOfSight = position <= geometry.range.lowerBound - 1 || position >= geometry.range.upperBound + 1
    if !geometry.canMove || isOutOfSight { rest() }
  }

  /// Returns the new number of a page, or of the page that takes its place: the next one that stays, or else the
  /// previous one.
  private static func page(replacing page: Int, _ changes: ListChanges) -> Int {
    for next in page..<max(page, changes.oldCount) {
      if let new = changes.newRow(of: next) { return new }
    }
    for previous in stride(from: page - 1, through: 0, by: -1) {
      if let new = changes.newRow(of: previous) { return new }
    }
    return min(page, changes.newCount - 1)
  }
}
