import VitrineGraphics

/// The slides by random choice, each as frequent as its weight says.
nonisolated struct WeightedSequence: SlideSequence {
  /// The number of random choices before the next available slide is taken.
  private static let attempts = 32

  /// The sums of the weights up to and including each slide.
  private var sums: [Double] = []
  private var random: SlideRandom
  private var history = SlideHistory()

  init(count: Int, random: SlideRandom, weight: (Int) -> Double) {
    self.random = random
    setWeights(count: count, weight)
  }

  mutating func candidate(for step: SlideStep, where isAvailable: (Int) -> Bool) -> Int? {
    if let known = history.candidate(for: step, where: isAvailable) { return known }
    guard step == .next, let total = sums.last else { return nil }
    for _ in 0..<Self.attempts {
      let slide = slide(at: Double.random(in: 0..<total, using: &random))
      if isAvailable(slide) { return slide }
    }
    let start = Int.random(in: 0..<sums.count, using: &random)
    let slides = start..<(start + sums.count)
    return slides.first { hasWeight($0 % sums.count) && isAvailable($0 % sums.count) }.map { $0 % sums.count }
  }

  mutating func didShow(_ slide: Int, by step: SlideStep) { _ = history.didShow(slide, by: step) }

  mutating func apply(_ changes: ListChanges, weight: (Int) -> Double) {
    setWeights(count: changes.newCount, weight)
    history.apply(changes)
  }

  private mutating func setWeights(count: Int, _ weight: (Int) -> Double) {
    sums = Self.sums(of: (0..<count).map(weight).map { $0 > 0 && $0.isFinite ? $0 : 0 })
    if let total = sums.last, !(total > 0 && total.isFinite) {
      sums = Self.sums(of: Array(repeating: 1, count: count))
    }
  }

  private static func sums(of weights: [Double]) -> [Double] {
    var sum = 0.0
    return weights.map { weight in
      sum += weight
      return sum
    }
  }

  private func hasWeight(_ slide: Int) -> Bool { sums[slide] > (slide > 0 ? sums[slide - 1] : 0) }

  /// Returns the slide in whose part of the sum a position lies. O(log n).
  private func slide(at position: Double) -> Int {
    var (low, high) = (0, sums.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] > position { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
