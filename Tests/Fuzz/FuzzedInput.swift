import VitrineLoading

/// Splits the input of a fuzzer: numbers first, then lines.
struct FuzzedInput {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  /// Returns the next eight bytes, or fewer at the end.
  mutating func bits() -> UInt64 {
    defer { bytes = bytes.dropFirst(8) }
    return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns any number, including NaN and infinity.
  mutating func double() -> Double { Double(bitPattern: bits()) }

  mutating func int() -> Int { Int(truncatingIfNeeded: bits()) }

  /// The remaining bytes as lines with their line ends. They are decoded as Latin-1, so that no byte is lost.
  var lines: [[UInt8]] {
    var lines: [[UInt8]] = [[]]
    for byte in bytes {
      lines[lines.count - 1].append(byte)
      if byte == UInt8(ascii: "\n") { lines.append([]) }
    }
    return lines
  }

  /// The lines as texts without line ends.
  var texts: [String] {
    lines.map { line in
      String(String.UnicodeScalarView(line.filter { $0 != 0x0A && $0 != 0x0D }.map { Unicode.Scalar($0) }))
    }
  }

  /// The lines as header fields, `Name: value`.
  var headers: HTTPHeaders {
    HTTPHeaders(
      texts.compactMap { text in
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        return HTTPHeaders.Field(name: String(halves[0]), value: String(halves[1].drop { $0 == " " }))
      })
  }
}
