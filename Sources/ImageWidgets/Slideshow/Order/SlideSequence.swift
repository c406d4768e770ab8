import VitrineGraphics

/// A step to the next or to the previous slide.
nonisolated enum SlideStep: Hashable {
  case next, previous
}

/// The state of an order: the slides that were shown, and those that follow.
///
/// Slides are indices. A candidate counts as shown only when `didShow` is called, because it may fail to load.
nonisolated protocol SlideSequence: Sendable {
  /// Returns the slide for a step that `isAvailable` accepts; `nil` if there is none.
  mutating func candidate(for step: SlideStep, where isAvailable: (Int) -> Bool) -> Int?
  /// Records that a slide is shown.
  mutating func didShow(_ slide: Int, by step: SlideStep)
  /// Takes over other slides.
  ///
  /// - Parameter weight: Returns the weight of a slide of the new list.
  mutating func apply(_ changes: ListChanges, weight: (Int) -> Double)
}

/// The slides in the order of the list.
nonisolated struct ListSequence: SlideSequence {
  private var count: Int
  /// The slide that was shown last; -1 before the first one.
  private var position = -1

  init(count: Int) { self.count = count }

  func candidate(for step: SlideStep, where isAvailable: (Int) -> Bool) -> Int? {
    guard count > 0 else { return nil }
    let start = step == .previous && position < 0 ? 0 : position
    for distance in 1...count {
      let slide = start + (step == .next ? distance : -distance)
      let wrapped = (slide % count + count) % count
      if isAvailable(wrapped) { return wrapped }
    }
    return nil
  }

  mutating func didShow(_ slide: Int, by step: SlideStep) { position = slide }

  mutating func apply(_ changes: ListChanges, weight: (Int) -> Double) {
    count = changes.newCount
    // A removed slide leaves the position at the slide before it.
    var row = position
    while row >= 0, changes.newRow(of: row) == nil { row -= 1 }
    position = row >= 0 ? changes.newRow(of: row) ?? -1 : -1
  }
}
