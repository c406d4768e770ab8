extension ArraySlice<UInt8> {
  /// The bytes with each `%XX` replaced by the byte of that hexadecimal value (RFC 3986, 2.1). A percent sign without
  /// two hexadecimal digits stands for itself.
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
