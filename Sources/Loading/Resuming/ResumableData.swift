import FoundationEssentials
import VitrineGraphics

/// Resumable data: the bytes received before a transfer broke or was paused, and what is needed to request the rest.
struct ResumableData: Sendable {
  private(set) var bytes: [UInt8]
  /// The number of bytes received, including bytes that have been taken out of `bytes`.
  let count: Int
  /// The validator to send as `If-Range`: a strong entity tag or a date (RFC 9110, 13.1.5).
  let validator: String
  /// The length of the whole body in bytes; `nil` if the server has not declared a length.
  let length: Int?

  /// The headers to store on disk: the validator, `Date` and `Vary`. Empty if the bytes must not be stored.
  let storedHeaders: HTTPHeaders
  /// The `Date` of the response, in seconds since 1970; `nil` if the server has sent none.
  private let date: Double?
  /// The URL of the response, after redirects.
  let url: URL
  /// True if the response headers allow storing the bytes on disk, and the validator is strong enough for a later run
  /// of the program.
  private(set) var mayBeStored: Bool
  /// True if the bytes come from disk, so that a redirect may lead elsewhere by now.
  private(set) var isFromDisk = false
  /// The head to store on disk together with the bytes; `nil` if the bytes must not be stored, or the request is
  /// unknown; see `Exchange.storedHead(of:)`.
  var storedHead: StoredResponse?
  /// True if the bytes were written to disk.
  var isWritten = false

  /// The number of the body; see `ResponseAssembler.bodyNumber`.
  var number: UInt64 = 0
  /// The reservation of the bytes in memory.
  var reservation: MemoryReservation?

  /// The minimum number of bytes to resume from. A smaller part is discarded, because a range request costs a header
  /// and a risk.
  static let minimumBytes = 4096

  /// The minimum number of bytes that are stored on disk.
  static let minimumStoredBytes = 64 << 10

  /// The maximum length of a validator in bytes. A longer one is not kept, because it takes memory that the limit of
  /// resumable data does not count.
  static let maximumValidatorBytes = 1 << 10

  /// Returns `nil` if the rest of the body cannot be requested: the response has no validator or has a content
  /// encoding, or the server does not support ranges. Also `nil` for fewer than `minimumBytes` bytes and for a complete
  /// body.
  ///
  /// - Parameters:
  ///   - head: The head of the response of the last transfer.
  ///   - length: The length of the whole body in bytes, if known.
  ///   - earlierValidator: The validator of earlier transfers, used if `head` has none.
  init?(_ bytes: [UInt8], of head: TransportResponse, length: Int?, validator earlierValidator: String?) {
    guard head.status == 200 || head.status == 206, bytes.count >= Self.minimumBytes,
      head.headers["Content-Encoding"] == nil, head.headers["Accept-Ranges"]?.lowercased() != "none",
      let validator = Self.validator(head.headers) ?? earlierValidator,
      validator.utf8.count <= Self.maximumValidatorBytes
    else { return nil }
    // A complete body has no rest, and a body longer than declared is damaged.
    if let length, bytes.count >= length { return nil }
    self.bytes = bytes
    count = bytes.count
    self.validator = validator
    self.length = length
    date = head.headers["Date"].flatMap { HTTPDate.seconds($0) }
    url = head.url
    let whole = TransportResponse(url: head.url, status: 200, headers: head.headers)
    let headers = Self.storedHeaders(head.headers, validator)
    mayBeStored =
      StoredResponse.mayBeStored(whole, sent: [:]) && Self.isStrong(validator, headers)
      && headers.fields.reduce(0) { $0 + $1.value.utf8.count } <= 2 * Self.maximumValidatorBytes
    storedHeaders = mayBeStored ? headers : [:]
  }

  /// Creates resumable data from an incomplete response on disk; nil if the rest of the body cannot be requested.
  init?(_ stored: StoredResponse, _ reservation: MemoryReservation) {
    self.init(stored.body, of: stored.response, length: stored.response.expectedLength, validator: nil)
    isFromDisk = true
    isWritten = true
    self.reservation = reservation
  }

  private static func storedHeaders(_ headers: HTTPHeaders, _ validator: String) -> HTTPHeaders {
    var stored: HTTPHeaders = [validator.hasPrefix("\"") ? "ETag" : "Last-Modified": validator]
    for name in ["Date", "Vary"] { stored[name] = headers[name] }
    return stored
  }

  /// The response to store on disk, with the bytes; `nil` if there is none, or if the bytes were written already.
  var unwrittenResponse: StoredResponse? {
    guard !isWritten, var response = storedHead else { return nil }
    response.body = bytes
    return response
  }

  /// Notes that the bytes begin with `earlier`, which must not be stored if these may not.
  mutating func continues(_ earlier: ResumableData) {
    if !earlier.mayBeStored { mayBeStored = false }
  }

  /// Removes and returns the bytes. The information for requesting the rest stays.
  mutating func takeBytes() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// A copy without the bytes, which is enough to request the rest.
  var withoutBytes: ResumableData {
    var resumable = self
    resumable.bytes = []
    resumable.reservation = nil
    return resumable
  }

  /// Returns true if the bytes are the beginning of a response that replaces a stored one: it has another validator, and
  /// the server has sent it later. False if a response has no `Date`.
  ///
  /// - Parameter stored: A stored response of the same request. Its `Date` is that of the last confirmation.
  func replaces(_ stored: TransportResponse) -> Bool {
    guard let date, let storedDate = stored.headers["Date"].flatMap({ HTTPDate.seconds($0) }) else {
      return false
    }
    return validator != Self.validator(stored.headers) && date >= storedDate
  }

  /// Returns the validator of a response. A weak entity tag is ignored, because it does not identify equal bytes
  /// (RFC 9110, 8.8.1). A date identifies equal bytes only if it is well in the past, which the server judges.
  private static func validator(_ headers: HTTPHeaders) -> String? {
    if let tag = headers["ETag"] { return tag.hasPrefix("\"") && tag.utf8.count > 2 ? tag : nil }
    return headers["Last-Modified"]
  }

  /// Returns true if a validator identifies equal bytes for any time: an entity tag, or a date that the server's clock
  /// has passed by a minute (RFC 9110, 8.8.2.2).
  private static func isStrong(_ validator: String, _ headers: HTTPHeaders) -> Bool {
    if validator.hasPrefix("\"") { return true }
    guard let modified = HTTPDate.seconds(validator),
      let date = headers["Date"].flatMap({ HTTPDate.seconds($0) })
    else { return false }
    return date - modified >= 60
  }

  /// Returns `headers` with the fields that request the rest of the body: `Range` and `If-Range`.
  func adding(to headers: HTTPHeaders) -> HTTPHeaders {
    var headers = headers
    headers["Range"] = "bytes=\(count)-"
    headers["If-Range"] = validator
    return headers
  }

  /// The meaning of a response to a request for the rest.
  enum Continuation: Hashable {
    /// The response has the rest of the body.
    case rest
    /// The response does not continue the body: it has the whole body, because the body has changed or the server does
    /// not support ranges, or it reports an error.
    case whole
    /// The response is unusable: the requested range does not exist, or the response has another range or another body.
    /// The body must be requested without a range.
    case unusable
  }

  /// Returns true if the body is complete with `count` bytes, after the rest has come with `head`. True if the length
  /// is unknown.
  func isCompleted(by count: Int, of head: TransportResponse?) -> Bool {
    let range = head?.headers["Content-Range"].flatMap { ContentRange($0) }
    return (length ?? range?.length ?? range.map { $0.last + 1 }).map { $0 == count } ?? true
  }

  /// Returns the meaning of a response to a request for the rest.
  ///
  /// - Parameter isRedirected: True if the response came through a redirect. Another image may have the same entity
  ///   tag.
  func continuation(by response: TransportResponse, isRedirected: Bool = false) -> Continuation {
    switch response.status {
    case 206 where isFromDisk && isRedirected: return .unusable
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
