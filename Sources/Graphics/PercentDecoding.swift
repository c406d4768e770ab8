extension ArraySlice<UInt8> {
  /// The bytes with `%XX` replaced by the byte that it stands for (RFC 3986, 2.1). A percent sign without two
  /// hexadecimal digits stands for itself.
  package var percentDecoded: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    var index = startIndex
    while index < endIndex {
      if self[index] == UInt8(ascii: "%"), endIndex - index > 2,
        let high = self[index + 1].hexadecimalValue, let low = self[index + 2].hexadecimalValue
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(self[index])
        index += 1
      }
    }
    return result
  }
}

extension UInt8 {
  /// The value of the byte as a hexadecimal digit of ASCII; `nil` for other bytes.
  fileprivate var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
