/// A random number generator that yields equal sequences in every run (SplitMix64).
struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) { state = UInt64(bitPattern: Int64(seed)) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z &>> 31)
  }

  /// Returns a number from 0 up to, but not including, 1.
  mutating func unit() -> Float { Float(next() &>> 40) / Float(1 << 24) }
  /// Returns a number from -1 up to, but not including, 1.
  mutating func signed() -> Float { unit() * 2 - 1 }
}
