/// Reads numbers from bytes: those of a fuzzer, or of a generator of pseudorandom numbers. All numbers are 0 at the end.
struct RunInput {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  /// Returns a number from 0 to `bound - 1`, at most 65,535.
  mutating func number(below bound: Int) -> Int {
    let high = bound > 256 ? Int(byte()) << 8 : 0
    return (high | Int(byte())) % max(1, bound)
  }

  private mutating func bits() -> UInt64 { (0..<8).reduce(0) { bits, _ in bits << 8 | UInt64(byte()) } }

  /// Returns a number that is often small, and sometimes at a limit.
  mutating func int() -> Int {
    switch byte() {
    case 0: .max
    case 1: .min
    case 2: Int(truncatingIfNeeded: bits())
    case let small: Int(small) - 8
    }
  }

  /// Returns a number that is often below 1, and sometimes not finite or at a limit.
  mutating func double() -> Double {
    let limits = [
      .nan, .infinity, -.infinity, 0, -0.0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      .leastNonzeroMagnitude, 1e9, 1e18,
    ]
    let kind = Int(byte())
    if limits.indices.contains(kind) { return limits[kind] }
    if kind == limits.count { return Double(bitPattern: bits()) }
    return Double(kind) / 256 + Double(byte()) / 65_536
  }
}
