import VitrineGraphics

/// The slides in rounds of random order. Each round has all slides. A slide that is not available in its place comes
/// later in the round.
nonisolated struct ShuffledSequence: SlideSequence {
  /// All slides: those that were shown in this round, then the others.
  private var round: [Int32]
  /// The number of slides that were shown in this round.
  private var shownCount = 0
  private var random: SlideRandom
  private var history = SlideHistory()

  init(count: Int, random: SlideRandom) {
    self.random = random
    round = Array(0..<Int32(clamping: count))
    round.shuffle(using: &self.random)
  }

  mutating func candidate(for step: SlideStep, where isAvailable: (Int) -> Bool) -> Int? {
    if let known = history.candidate(for: step, where: isAvailable) { return known }
    guard step == .next else { return nil }
    func first(in slides: ArraySlice<Int32>) -> Int? {
      slides.first { isAvailable(Int($0)) }.map { Int($0) }
    }
    if let slide = first(in: round[shownCount...]) { return slide }
    // The shown slide is not available, so that the first slide of a round is not the last one of the round before.
    shownCount = 0
    round.shuffle(using: &random)
    return first(in: round[...])
  }

  mutating func didShow(_ slide: Int, by step: SlideStep) {
    guard !history.didShow(slide, by: step) else { return }
    guard let index = round[shownCount...].firstIndex(of: Int32(clamping: slide)) else { return }
    round.swapAt(index, shownCount)
    shownCount += 1
  }

  mutating func apply(_ changes: ListChanges, weight: (Int) -> Double) {
    func newRows(of rows: ArraySlice<Int32>) -> [Int32] {
      rows.compactMap { changes.newRow(of: Int($0)).map { Int32(clamping: $0) } }
    }
    let shown = newRows(of: round[..<shownCount])
    var others = newRows(of: round[shownCount...])
    for row in changes.insertions {
      others.append(Int32(clamping: row))
      others.swapAt(others.count - 1, Int.random(in: 0..<others.count, using: &random))
    }
    round = shown + others
    shownCount = shown.count
    history.apply(changes)
  }
}
