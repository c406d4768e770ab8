import VitrineGraphics
import VitrineWidgets

/// Returns a sample of a finger.
func sample(
  _ phase: TouchPhase, _ x: Double, _ y: Double, at time: Double, id: Int64 = 0
) -> TouchSample {
  TouchSample(id: id, phase: phase, location: Point(x: x, y: y), time: time)
}

/// A reproducible random number generator (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
