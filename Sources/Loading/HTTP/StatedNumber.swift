/// A whole number sent by a server, such as a byte count or a status; from 0 to `largest`.
///
/// All such numbers are parsed by this type before they are used in arithmetic. Sums of a few of them cannot overflow.
package struct StatedNumber: Hashable, Comparable, Sendable {
  /// The largest value, a quarter of `Int.max`. No body is that long.
  package static let largest = Int.max / 4

  package let value: Int

  /// Parses digits only (RFC 9110, 8.6), without sign or blanks. Returns nil for any other text, and for a number
  /// beyond `largest`.
  package init?(_ text: String) {
    guard let number = Self(clamping: text), !number.isClamped else { return nil }
    self = number
  }

  /// Parses digits only, clamping numbers beyond `largest`. Returns nil for any other text.
  package init?(clamping text: String) {
    guard !text.isEmpty else { return nil }
    var value = 0
    for byte in text.utf8 {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      value = min(isTooLarge ? .max : product.addingSaturated(Int(byte & 0x0F)), Self.largest + 1)
    }
    isClamped = value > Self.largest
    self.value = min(value, Self.largest)
  }

  private let isClamped: Bool

  package static func < (one: Self, other: Self) -> Bool { one.value < other.value }

  /// Returns a length given by a transport or an application, clamped to `largest`; nil for a negative length, which is
  /// meaningless.
  package static func bounded(_ length: Int?) -> Int? {
    length.flatMap { $0 < 0 ? nil : min($0, largest) }
  }
}

extension Int {
  /// The sum, limited to the range from `Int.min` to `Int.max`.
  package func addingSaturated(_ other: Int) -> Int {
    let (sum, didOverflow) = addingReportingOverflow(other)
    return didOverflow ? (other > 0 ? .max : .min) : sum
  }

  /// The difference, limited to the range from `Int.min` to `Int.max`.
  package func subtractingSaturated(_ other: Int) -> Int {
    let (difference, didOverflow) = subtractingReportingOverflow(other)
    return didOverflow ? (other > 0 ? .min : .max) : difference
  }
}
