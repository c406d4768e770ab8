/// A random number generator that yields equal sequences for equal seeds (SplitMix64).
nonisolated struct SlideRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator; without a seed, its sequence differs in each run.
  init(seed: UInt64?) { state = seed ?? .random(in: 0 ... .max) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
