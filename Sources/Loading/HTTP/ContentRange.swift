/// A `Content-Range` such as `bytes 100-199/200` (RFC 9110, 14.4). No number is larger than `StatedNumber.largest`.
struct ContentRange: Hashable {
  let first, last: Int
  /// The length of the whole body in bytes; `nil` for `*`.
  let length: Int?

  /// Returns `nil` if the text is not a range of bytes or is an impossible range.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map {
      StatedNumber(String($0))?.value
    }
    guard ends.count == 2, let first = ends[0], let last = ends[1], last >= first else { return nil }
    (self.first, self.last) = (first, last)
    guard halves[1] != "*" else {
      length = nil
      return
    }
    guard let length = StatedNumber(String(halves[1]))?.value, length > last else { return nil }
    self.length = length
  }
}
