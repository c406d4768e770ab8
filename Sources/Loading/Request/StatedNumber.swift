/// A whole number that a server states: of bytes, or a status. From 0 to `largest`.
///
/// Each such number is read here before anything is computed with it. Sums of a few of them cannot overflow.
package struct StatedNumber: Hashable, Comparable, Sendable {
  /// More than any body has, and a quarter of what an `Int` holds.
  package static let largest = Int.max / 4

  package let value: Int

  /// Reads digits alone (RFC 9110, 8.6): no sign and no blanks. Nil for any other text, and for a number beyond `largest`.
  package init?(_ text: some StringProtocol) {
    guard let number = Self(clamping: text), !number.isClamped else { return nil }
    self = number
  }

  /// The same, but a number beyond `largest` counts as that.
  package init?(clamping text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    // All of them are digits: what cannot be read is too large.
    let value = Int(text) ?? .max
    isClamped = value > Self.largest
    self.value = min(value, Self.largest)
  }

  private let isClamped: Bool

  package static func < (one: Self, other: Self) -> Bool { one.value < other.value }

  /// Bounds a length that a transport or a program gives: nil for one below 0, which says nothing.
  package static func bounded(_ length: Int?) -> Int? {
    length.flatMap { $0 < 0 ? nil : min($0, largest) }
  }
}
