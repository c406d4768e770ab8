import VitrineGraphics

/// The slides that were shown in a random order, so that a step back shows them again, and the next steps forward too.
nonisolated struct SlideHistory: Hashable {
  /// The number of steps back that are remembered.
  static let limit = 100

  private var shown: Int?
  /// The slides before the shown one, the latest last.
  private var past: [Int] = []
  /// The slides from which steps back were made, the next one last.
  private var future: [Int] = []

  /// Returns the slide of a step within the history that `isAvailable` accepts; `nil` if there is none.
  func candidate(for step: SlideStep, where isAvailable: (Int) -> Bool) -> Int? {
    (step == .next ? future : past).last(where: isAvailable)
  }

  /// Records that a slide is shown. Returns true if it was in the history.
  mutating func didShow(_ slide: Int, by step: SlideStep) -> Bool {
    // The shown slide was loaded again.
    if slide == shown { return true }
    defer { shown = slide }
    switch step {
    case .next:
      let isKnown = Self.remove(slide, from: &future)
      if !isKnown { future = [] }
      if let shown { past.append(shown) }
      if past.count > Self.limit { past.removeFirst() }
      return isKnown
    case .previous:
      let isKnown = Self.remove(slide, from: &past)
      if let shown { future.append(shown) }
      return isKnown
    }
  }

  mutating func apply(_ changes: ListChanges) {
    shown = shown.flatMap(changes.newRow)
    past = past.compactMap(changes.newRow)
    future = future.compactMap(changes.newRow)
  }

  /// Removes the last occurrence of a slide and all that follow it. Returns false if there is none.
  private static func remove(_ slide: Int, from slides: inout [Int]) -> Bool {
    guard let index = slides.lastIndex(of: slide) else { return false }
    slides.removeSubrange(index...)
    return true
  }
}
