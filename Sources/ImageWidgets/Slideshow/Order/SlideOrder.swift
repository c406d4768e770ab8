/// The order in which a slideshow shows its slides. A slideshow loops in each order.
public nonisolated enum SlideOrder: Hashable, Sendable {
  /// The order of the list.
  case list
  /// A random order in which each slide is shown once before the first one is repeated. The same seed makes the same
  /// order; `nil` takes a random seed.
  case shuffled(seed: UInt64? = nil)
  /// A random choice in which each slide is as frequent as its `Slide.weight` says, and none follows itself while there
  /// is another. If no weight is above 0, all are equal. `nil` takes a random seed.
  case weighted(seed: UInt64? = nil)

  /// Creates the sequence of `count` slides.
  ///
  /// - Parameter weight: Returns the weight of a slide.
  func sequence(count: Int, weight: (Int) -> Double) -> any SlideSequence {
    switch self {
    case .list: ListSequence(count: count)
    case .shuffled(let seed): ShuffledSequence(count: count, random: SlideRandom(seed: seed))
    case .weighted(let seed): WeightedSequence(count: count, random: SlideRandom(seed: seed), weight: weight)
    }
  }
}
