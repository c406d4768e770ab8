import VitrineGraphics

/// What came of a body before its transfer broke or was paused, with what is needed to ask for the rest.
struct PartialBody: Sendable {
  private(set) var bytes: [UInt8]
  /// The number of bytes received, including bytes that have been taken out.
  let count: Int
  /// A strong entity tag or a date: what `If-Range` is given (RFC 9110, 13.1.5).
  let validator: String
  /// Of the whole body, if the server said.
  let length: Int?

  /// Of the body; see `AnswerAssembly.bodyNumber`.
  var number: UInt64 = 0
  /// Counts the bytes in memory.
  var hold: MemoryHold?

  /// Less than this is fetched anew: a range costs a header and a risk.
  static let smallest = 4096

  /// The maximum length of a validator in bytes. A longer one is not kept, because it takes memory that the limit of
  /// resumable data does not count.
  static let longestValidator = 1 << 10

  /// Nil for an answer whose rest cannot be asked for: without a validator, of an encoding, or from a server that
  /// gives no ranges.
  ///
  /// - Parameters:
  ///   - head: of the last transfer.
  ///   - length: of the whole body, if known.
  ///   - validator: of the transfers before, for a head that has none.
  init?(_ bytes: [UInt8], of head: TransportResponse, length: Int?, validator known: String?) {
    guard head.status == 200 || head.status == 206, bytes.count >= Self.smallest,
      head.headers["Content-Encoding"] == nil, head.headers["Accept-Ranges"]?.lowercased() != "none",
      let validator = Self.validator(head.headers) ?? known, validator.utf8.count <= Self.longestValidator
    else { return nil }
    // What is complete needs no rest; what is longer than it said is damaged.
    if let length, bytes.count >= length { return nil }
    self.bytes = bytes
    count = bytes.count
    self.validator = validator
    self.length = length
  }

  /// Removes and returns the bytes. The information for requesting the rest stays.
  mutating func takeBytes() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// A copy without the bytes, which is enough to request the rest.
  var withoutBytes: PartialBody {
    var partial = self
    partial.bytes = []
    partial.hold = nil
    return partial
  }

  /// A weak tag does not say that bytes are the same (RFC 9110, 8.8.1); a date does where it is well in the past, which
  /// is left to the server to judge.
  private static func validator(_ headers: HTTPHeaders) -> String? {
    if let tag = headers["ETag"] { return tag.hasPrefix("\"") && tag.utf8.count > 2 ? tag : nil }
    return headers["Last-Modified"]
  }

  /// The headers that ask for the rest.
  func adding(to headers: HTTPHeaders) -> HTTPHeaders {
    var headers = headers
    headers["Range"] = "bytes=\(count)-"
    headers["If-Range"] = validator
    return headers
  }

  /// What an answer to that is worth.
  enum Continuation: Hashable {
    /// The rest comes.
    case rest
    /// The whole body comes: it has changed, or the server gives no ranges.
    case whole
    /// Neither: it is to be asked for anew, without a range.
    case unusable
  }

  /// Whether it is whole with a rest that came with `head`, now that there are so many bytes. True where nobody has said.
  func isCompleted(by count: Int, of head: TransportResponse?) -> Bool {
    let range = head?.headers["Content-Range"].flatMap { ContentRange($0) }
    return (length ?? range?.length ?? range.map { $0.last + 1 }).map { $0 == count } ?? true
  }

  /// What to do with the answer to a request for the rest.
  func continuation(by response: TransportResponse) -> Continuation {
    switch response.status {
    case 206:
      guard let range = response.headers["Content-Range"].flatMap({ ContentRange($0) }),
        range.first == count, length == nil || range.length == nil || range.length == length,
        response.headers["ETag"].map({ $0 == validator || !validator.hasPrefix("\"") }) ?? true
      else { return .unusable }
      return .rest
    case 416: return .unusable
    default: return .whole
    }
  }
}

/// A `Content-Range` such as `bytes 100-199/200` (RFC 9110, 14.4). No number is larger than `StatedNumber.largest`.
struct ContentRange: Hashable {
  let first: Int
  let last: Int
  /// Of the whole; nil for `*`.
  let length: Int?

  /// Nil for what is no range of bytes, or none that can be.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
    let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map {
      StatedNumber($0)?.value
    }
    guard ends.count == 2, let first = ends[0], let last = ends[1], last >= first else { return nil }
    (self.first, self.last) = (first, last)
    guard halves[1] != "*" else {
      length = nil
      return
    }
    guard let length = StatedNumber(halves[1])?.value, length > last else { return nil }
    self.length = length
  }
}
