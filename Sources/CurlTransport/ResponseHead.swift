import VitrineLoading

/// Puts status and headers together from the lines of an answer.
struct ResponseHead: Sendable {
  /// Header fields at most.
  static let fieldLimit = 256
  /// Bytes of all lines at most, interim answers included. libcurl allows 300 KiB.
  static let byteLimit = 64 << 10

  enum Progress: Hashable {
    case unfinished
    case finished
    case tooLarge
  }

  /// The status; nil until its line has come.
  private(set) var status: Int?
  private(set) var bytes = 0
  private var isFinished = false
  private var fields: [HTTPHeaders.Field] = []

  var headers: HTTPHeaders { HTTPHeaders(fields) }

  /// The declared length of the body in bytes; nil if Content-Length is missing or does not apply (RFC 9112, 6.3: with
  /// Transfer-Encoding). Clamped to `StatedNumber.largest`.
  var contentLength: Int? {
    let headers = headers
    guard headers["Transfer-Encoding"] == nil, let text = headers["Content-Length"] else { return nil }
    return StatedNumber(clamping: text)?.value
  }

  /// A transfer coding other than chunked, which libcurl would undo, and which only who sends TE may be given
  /// (RFC 9112, 7.4).
  var unaskedCoding: String? {
    fields.filter { HTTPHeaders.isSame($0.name, "Transfer-Encoding") }.flatMap {
      $0.value.split(separator: ",")
    }
    .map { $0.trimmed }.first { !["", "chunked", "identity"].contains($0.lowercased()) }
  }

  /// The content encoding that compresses the body; nil for none. Some servers send other values here, such as a
  /// charset or `binary`; these are ignored.
  var compression: String? {
    let known: Set<String> = [
      "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress", "dcb", "dcz",
    ]
    return fields.filter { HTTPHeaders.isSame($0.name, "Content-Encoding") }
      .flatMap { $0.value.split(separator: ",") }.map { $0.trimmed.lowercased() }.first(where: known.contains)
  }

  /// Takes the next line as libcurl gives it, with its line end. Trailers after the body are passed over.
  mutating func append(line: UnsafeRawBufferPointer) -> Progress {
    if isFinished { return .finished }
    bytes += line.count
    guard bytes <= Self.byteLimit else { return .tooLarge }
    let content = Self.trimmed(line[...])
    if status == nil {
      status = Self.status(in: content)
    } else if line.first.map(Self.isLineEnd) ?? true {
      return finishHead()
    } else if line.first.map(Self.isBlank) ?? false {
      unfold(content)
    } else if let colon = content.firstIndex(of: UInt8(ascii: ":")) {
      let name = Self.text(content[..<colon])
      let value = Self.text(Self.trimmed(content[(colon + 1)...]))
      fields.append(HTTPHeaders.Field(name: name, value: value))
    }
    return fields.count <= Self.fieldLimit ? .unfinished : .tooLarge
  }

  /// An empty line: the end, or that of an interim answer (1xx), after which the real one comes.
  private mutating func finishHead() -> Progress {
    guard let status, (100..<200).contains(status) else {
      isFinished = true
      return .finished
    }
    self.status = nil
    fields = []
    return .unfinished
  }

  /// Adds an obsolete continuation line to its field (RFC 9112, 5.2).
  private mutating func unfold(_ content: Slice<UnsafeRawBufferPointer>) {
    guard let last = fields.popLast() else { return }
    fields.append(HTTPHeaders.Field(name: last.name, value: last.value + " " + Self.text(content)))
  }

  /// The number in `HTTP/1.1 200 OK`; libcurl has looked at it before.
  private static func status(in line: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    return StatedNumber(text(line[space...].dropFirst().prefix { !isBlank($0) }))?.value
  }

  /// UTF-8, or Latin-1 where it is none.
  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    // Nearly always so, and looked at ten times faster.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    let isOutside = { (byte: UInt8) in isBlank(byte) || isLineEnd(byte) }
    guard let last = bytes.lastIndex(where: { !isOutside($0) }) else { return bytes.prefix(0) }
    return bytes[...last].drop(while: isOutside)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }
}

extension Substring {
  /// Without the blanks around it.
  fileprivate var trimmed: String {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    guard let last = lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(self[...last].drop(while: isBlank))
  }
}
