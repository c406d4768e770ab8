extension Sequence<UInt8> {
  /// The bytes in lowercase hexadecimal digits, two for each byte.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Parses two hexadecimal digits for each byte; `nil` for any other text.
  package init?(hexadecimal text: Substring) {
    let digits = text.utf8.map(\.hexadecimalValue)
    guard digits.count % 2 == 0 else { return nil }
    self = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[start], let low = digits[start + 1] else { return nil }
      append(high << 4 | low)
    }
  }
}

extension UInt8 {
  /// The value of the byte as a hexadecimal digit of ASCII; `nil` for other bytes.
  var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
