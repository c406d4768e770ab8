/// A random number generator that yields equal sequences for equal seeds (SplitMix64).
package struct SplitMix: RandomNumberGenerator, Sendable {
  /// The seed, and then the state.
  package var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to, but not including, `bound`, which is at least 1.
  package mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
