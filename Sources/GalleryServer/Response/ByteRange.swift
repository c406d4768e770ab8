/// The part of a body that a request asks for (RFC 9110, section 14).
enum ByteRange: Equatable {
  /// The whole body: the request has no range, or a range that must be ignored.
  case whole
  /// These bytes, at least one.
  case part(Range<Int>)
  /// No byte: the range begins after the end of the body.
  case unsatisfiable

  /// Parses the `Range` header of a request for a body of `count` bytes. Malformed and multiple ranges, other units and
  /// methods other than GET ask for the whole body (section 14.2).
  init(of request: Request, count: Int) {
    self = .whole
    guard request.method == "GET", let value = request.headers["range"] else { return }
    let unit = value.prefix { $0 != "=" }
    guard unit.lowercased() == "bytes", unit.count < value.count else { return }
    let bounds = value.dropFirst(unit.count + 1).split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard bounds.count == 2 else { return }
    switch (Self.number(bounds[0]), Self.number(bounds[1])) {
    case (let first?, let last?) where first <= last: self = .init(first, last, count)
    case (let first?, nil) where bounds[1].isEmpty: self = .init(first, .max, count)
    case (nil, let length?) where bounds[0].isEmpty:
      // A range without a first position counts from the end. The whole of an empty body is not a part of it.
      if length == 0 {
        self = .unsatisfiable
      } else if count > 0 {
        self = .part(max(0, count - length)..<count)
      }
    default: break
    }
  }

  private init(_ first: Int, _ last: Int, _ count: Int) {
    self = first < count ? .part(first..<(min(last, count - 1) + 1)) : .unsatisfiable
  }

  /// Returns the value of a decimal number, `Int.max` for a larger one, or `nil` for another text.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text) ?? .max
  }
}
