/// Parses requests from the bytes of a connection, in pieces of any size.
///
///     var parser = RequestParser()
///     parser.feed(bytes)
///     while let request = try parser.next() { … }
///
/// After an error the connection must be closed, because the following bytes cannot be interpreted.
struct RequestParser {
  /// The maximum size of a head, request line and headers together, in bytes.
  static let headLimit = 64 * 1024

  private var buffer: [UInt8] = []
  private var scanned = 0
  private var lineStart = 0
  private var lines: [Range<Int>] = []

  /// Appends the next bytes of the connection.
  mutating func feed(_ bytes: some Sequence<UInt8>) { buffer.append(contentsOf: bytes) }

  /// Returns the next complete request head, or `nil` if more bytes are needed.
  mutating func next() throws(Refusal) -> Request? {
    while scanned < buffer.count, scanned < Self.headLimit {
      scanned += 1
      guard buffer[scanned - 1] == UInt8(ascii: "\n") else { continue }
      let line = line(endingAt: scanned - 1)
      lineStart = scanned
      if !line.isEmpty {
        lines.append(line)
      } else if !lines.isEmpty {  // Empty lines before a request are skipped (RFC 9112, section 2.2).
        let request = try parseHead()
        reset()
        return request
      }
    }
    if scanned >= Self.headLimit { throw .headTooLarge }
    return nil
  }

  /// Returns the range of a line without the line end. A bare LF also ends a line (RFC 9112, section 2.2).
  private func line(endingAt end: Int) -> Range<Int> {
    let hasReturn = end > lineStart && buffer[end - 1] == UInt8(ascii: "\r")
    return lineStart..<(hasReturn ? end - 1 : end)
  }

  private mutating func reset() {
    buffer.removeFirst(lineStart)
    scanned = 0
    lineStart = 0
    lines.removeAll(keepingCapacity: true)
  }

  private func parseHead() throws(Refusal) -> Request {
    var request = try parseRequestLine(buffer[lines[0]])
    for line in lines.dropFirst() {
      let (name, value) = try parseHeader(buffer[line])
      if let earlier = request.headers[name] {
        if name == "host" || name == "content-length" { throw .malformed }
        request.headers[name] = earlier + ", " + value
      } else {
        request.headers[name] = value
      }
    }
    if !request.isHTTP10, request.headers["host"] == nil { throw .malformed }
    return request
  }

  private func parseRequestLine(_ line: ArraySlice<UInt8>) throws(Refusal) -> Request {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, isToken(parts[0]), parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
      parts[2].starts(with: "HTTP/".utf8)
    else { throw .malformed }
    let version = String(decoding: parts[2].dropFirst(5), as: UTF8.self)
    guard version == "1.1" || version == "1.0" else { throw .versionNotSupported }
    guard let target = Target(String(decoding: parts[1], as: UTF8.self)) else { throw .malformed }
    return Request(
      method: String(decoding: parts[0], as: UTF8.self), target: target, isHTTP10: version == "1.0")
  }

  /// Parses a header line. Names that are not tokens are refused, which includes folded lines and a space before the
  /// colon (RFC 9112, section 5).
  private func parseHeader(_ line: ArraySlice<UInt8>) throws(Refusal) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
      throw .malformed
    }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var value = line[(colon + 1)...].drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    guard !value.contains(where: { ($0 < 0x20 && $0 != UInt8(ascii: "\t")) || $0 == 0x7f }) else {
      throw .malformed
    }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    return (name, String(decoding: value, as: UTF8.self))
  }

  /// Returns true if the bytes are a token (RFC 9110, section 5.6.2).
  private func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}

/// The reason why a request is refused before the request is complete.
enum Refusal: Error {
  case malformed
  case headTooLarge
  case versionNotSupported

  var status: Int {
    switch self {
    case .malformed: 400
    case .headTooLarge: 431
    case .versionNotSupported: 505
    }
  }
}
