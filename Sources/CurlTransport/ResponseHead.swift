import Glibc
import VitrineLoading

/// Assembles the status and headers of a response line by line.
struct ResponseHead: Sendable {
  /// The maximum number of header fields.
  static let fieldLimit = 256
  /// The maximum size of all lines in bytes, including interim responses. libcurl allows 300 KiB.
  static let byteLimit = 64 << 10

  enum Progress: Hashable {
    case unfinished
    case finished
    case tooLarge
  }

  /// The status; `nil` until the status line has arrived.
  private(set) var status: Int?
  private(set) var bytes = 0
  private var isFinished = false
  private var fields: [HTTPHeaders.Field] = []

  var headers: HTTPHeaders { HTTPHeaders(fields) }

  /// The declared length of the body in bytes; `nil` if Content-Length is missing, or is overridden by
  /// Transfer-Encoding (RFC 9112, 6.3). Clamped to `StatedNumber.largest`.
  var contentLength: Int? {
    let headers = headers
    guard headers["Transfer-Encoding"] == nil, let text = headers["Content-Length"] else { return nil }
    return StatedNumber(clamping: text)?.value
  }

  /// The first transfer coding other than chunked and identity; `nil` for none. Servers may send such a coding only in
  /// reply to a TE header (RFC 9112, 7.4), which the transport does not send, and libcurl would decode it.
  var unrequestedTransferCoding: String? {
    guard headers["Transfer-Encoding"] != nil else { return nil }
    return headers.words(of: "Transfer-Encoding").first { !["chunked", "identity"].contains($0) }
  }

  /// The content encoding that compresses the body; `nil` for none. Other values that some servers send here, such as a
  /// charset or `binary`, are ignored.
  var compression: String? {
    guard headers["Content-Encoding"] != nil else { return nil }
    let compressions: Set<String> = [
      "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress", "dcb", "dcz",
    ]
    return headers.words(of: "Content-Encoding").first(where: compressions.contains)
  }

  /// Parses the next line from libcurl, which includes the line end. Ignores trailer fields after the body.
  ///
  /// - Parameter recent: The fields of earlier responses; `nil` for none.
  mutating func append(line: UnsafeRawBufferPointer, recent: RecentFields? = nil) -> Progress {
    if isFinished { return .finished }
    bytes += line.count
    guard bytes <= Self.byteLimit else { return .tooLarge }
    if status == nil {
      status = Self.status(in: Self.trimmed(line))
    } else if line.first.map(Self.isLineEnd) ?? true {
      return finishHead()
    } else if Self.isBlank(line[0]) {
      unfold(Self.trimmed(line))
    } else {
      if fields.isEmpty { fields.reserveCapacity(RecentFields.fieldLimit) }
      let field =
        if let recent { recent.field(at: fields.count, of: line, parse: Self.field) } else {
          Self.field(in: line)
        }
      if let field { fields.append(field) }
    }
    return fields.count <= Self.fieldLimit ? .unfinished : .tooLarge
  }

  /// Handles the empty line at the end of a head. After an interim response (1xx), the head of the final response
  /// follows.
  private mutating func finishHead() -> Progress {
    guard let status, (100..<200).contains(status) else {
      isFinished = true
      return .finished
    }
    self.status = nil
    fields = []
    return .unfinished
  }

  /// Appends an obsolete continuation line to the previous field (RFC 9112, 5.2).
  private mutating func unfold(_ content: UnsafeRawBufferPointer) {
    guard let last = fields.popLast() else { return }
    fields.append(HTTPHeaders.Field(name: last.name, value: last.value + " " + Self.text(content)))
  }

  /// Parses the status in a line such as `HTTP/1.1 200 OK`. libcurl has validated the line.
  private static func status(in line: UnsafeRawBufferPointer) -> Int? {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    let status = line[(space + 1)...].prefix { !isBlank($0) }
    return StatedNumber(text(UnsafeRawBufferPointer(rebasing: status)))?.value
  }

  /// Parses a line such as `ETag: "a"`. Returns `nil` for a line without a colon.
  private static func field(in line: UnsafeRawBufferPointer) -> HTTPHeaders.Field? {
    guard let colon = colon(in: line) else { return nil }
    return HTTPHeaders.Field(
      name: text(UnsafeRawBufferPointer(rebasing: line[..<colon])),
      value: text(trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))))
  }

  private static func colon(in line: UnsafeRawBufferPointer) -> Int? {
    guard let start = line.baseAddress, let found = memchr(start, Int32(UInt8(ascii: ":")), line.count) else {
      return nil
    }
    return UnsafeRawPointer(found) - start
  }

  /// Decodes bytes as UTF-8, or as Latin-1 if the bytes are not valid UTF-8.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    // The usual case: checking for ASCII is ten times faster than validating UTF-8.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Returns bytes without blanks and line ends at the start and at the end.
  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var (start, end) = (0, bytes.count)
    while start < end, isBlank(bytes[end - 1]) || isLineEnd(bytes[end - 1]) { end -= 1 }
    while start < end, isBlank(bytes[start]) || isLineEnd(bytes[start]) { start += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }
}
