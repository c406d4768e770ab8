/// The body of a part that is being received: its bytes, and the search for the delimiter that follows.
///
/// The delimiter is searched for at the start of each line, after each end of a JPEG (FF D9), and after as many bytes
/// as the part's `Content-Length` states, because cameras omit the line end there.
struct ArrivingPart: Sendable {
  /// The result of reading bytes.
  enum Step: Hashable {
    /// All bytes have been read.
    case incomplete
    /// As many bytes have been read as the part's `Content-Length` states.
    case statedLength
    /// The delimiter has been read.
    case delimiter(isClosing: Bool)
  }

  /// The number of bytes by which the line end before a delimiter may exceed the limit of the body.
  private static let longestLineEnd = 2

  let headers: HTTPHeaders
  /// The length that the part's `Content-Length` states; `nil` if it states none.
  let statedLength: Int?
  /// False once the body was delivered or discarded, so that its remaining bytes are not kept.
  private(set) var isStored = true
  /// The number of bytes read so far, including those of a delimiter line.
  private(set) var count = 0
  /// The number of bytes before the line that is being compared with the delimiter.
  private(set) var lineStart = 0
  /// The number of bytes of the line end before that line.
  private var lineEnd = 0
  private let limit: Int
  private let delimiter: [UInt8]
  private var match: DelimiterMatch?
  private var buffer: BodyBuffer
  private var last: UInt8 = 0

  /// - Parameters:
  ///   - statedLength: The stated length; `nil` if there is none that can be trusted.
  ///   - limit: The maximum length of the body in bytes.
  init(headers: HTTPHeaders, statedLength: Int?, limit: Int, delimiter: [UInt8]) {
    self.headers = headers
    self.statedLength = statedLength
    self.limit = limit
    self.delimiter = delimiter
    match = DelimiterMatch(delimiter)
    buffer = BodyBuffer(expected: statedLength)
  }

  /// The number of bytes in memory.
  var memoryUsed: Int { buffer.count }

  /// Returns the number of bytes to reserve before `count` more bytes are read.
  func memoryNeeded(for count: Int) -> Int { isStored ? buffer.memoryNeeded(for: count) : count }

  /// The length of the body if the delimiter was found at `lineStart`, in bytes.
  var length: Int { max(0, lineStart - lineEnd) }

  /// True if a byte of the body has been read. A line that may be the delimiter, and a line end that may be the one
  /// before the delimiter, do not count.
  var hasBody: Bool { match == nil ? count > Self.longestLineEnd : length > 0 }

  // MARK: Reading

  /// Reads bytes from `index` on, and advances `index` past the bytes read. O(n) in the number of bytes read: a byte
  /// is looked at twice at most, when it ends a line that was compared with the delimiter.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, from index: inout Int, examining examined: inout Int
  ) throws(MultipartError) -> Step {
    let start = index
    let step = try findEnd(bytes, from: &index, examining: &examined)
    if isStored { buffer.append(UnsafeRawBufferPointer(rebasing: bytes[start..<index])) }
    return step
  }

  private mutating func findEnd(
    _ bytes: UnsafeRawBufferPointer, from index: inout Int, examining examined: inout Int
  ) throws(MultipartError) -> Step {
    while index < bytes.count {
      let before = index
      defer { examined &+= index - before }
      if match != nil {
        if let isClosing = try compare(bytes[index], &examined) {
          index += 1
          return .delimiter(isClosing: isClosing)
        }
        // A byte that ends the comparison is read again as a byte of the body.
        guard match != nil else { continue }
        index += 1
      } else {
        try skipToLineStart(bytes, from: &index)
      }
      if count == statedLength {
        if match == nil { beginLine(after: 0) }
        return .statedLength
      }
    }
    return .incomplete
  }

  /// Compares the next byte of a line with the delimiter. Returns true for the closing delimiter, false for another one,
  /// and `nil` if the delimiter is incomplete or the line is not a delimiter line.
  private mutating func compare(_ byte: UInt8, _ examined: inout Int) throws(MultipartError) -> Bool? {
    guard let step = match?.next(byte) else { return nil }
    switch step {
    case .different:
      examined &+= 1
      match = nil
      return nil
    case .incomplete, .delimiter:
      count += 1
      last = byte
      guard case .delimiter(let isClosing) = step else { return nil }
      guard length <= limit else { throw .partTooLarge(limit: limit) }
      return isClosing
    }
  }

  /// Reads the bytes up to the next position where a delimiter may begin, or up to the stated length.
  private mutating func skipToLineStart(
    _ bytes: UnsafeRawBufferPointer, from index: inout Int
  ) throws(MultipartError) {
    let allowed = limit + Self.longestLineEnd - count
    guard allowed > 0 else { throw .partTooLarge(limit: limit) }
    let wanted = min(allowed, statedLength.map { $0 > count ? $0 - count : .max } ?? .max)
    let start = index
    let end = index + min(bytes.count - index, wanted)
    while index < end {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\n") {
        count += index - start
        beginLine(after: last == UInt8(ascii: "\r") ? 2 : 1)
        last = byte
        return
      }
      if byte == 0xD9, last == 0xFF {
        count += index - start
        beginLine(after: 0)
        last = byte
        return
      }
      last = byte
    }
    count += index - start
  }

  private mutating func beginLine(after lineEnd: Int) {
    match = DelimiterMatch(delimiter)
    lineStart = count
    self.lineEnd = lineEnd
  }

  // MARK: Body

  /// True if all bytes read so far are a JPEG: from its first marker (FF D8) to its last (FF D9).
  var isWholeJPEG: Bool { isStored && isJPEG && endsJPEG(at: buffer.count) }

  private var isJPEG: Bool { buffer.bytes.starts(with: [0xFF, 0xD8]) }

  private func endsJPEG(at end: Int) -> Bool { buffer.bytes[..<end].suffix(2) == [0xFF, 0xD9] }

  /// Drops the bytes of the body. The search for the delimiter goes on. Returns false if there are no bytes any more.
  mutating func discard() -> Bool {
    guard isStored else { return false }
    isStored = false
    _ = buffer.take()
    return true
  }

  /// Returns the first `count` bytes as the part; `nil` if there are none, or if the body was delivered or discarded.
  mutating func take(_ count: Int) -> MultipartPart? {
    guard isStored else { return nil }
    isStored = false
    var body = buffer.take()
    body.removeLast(max(0, body.count - count))
    return body.isEmpty ? nil : MultipartPart(headers: headers, body: body)
  }

  /// Returns true if only line ends lie between the stated length and the delimiter at `lineStart`.
  var hasOnlyLineEndsAfterStatedLength: Bool {
    guard isStored, let statedLength, statedLength <= length else { return false }
    return Self.areLineEnds(buffer.bytes[statedLength..<min(length, buffer.count)])
  }

  private static func areLineEnds(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
  }

  /// Returns the part at the end of a response that has ended without a closing delimiter; `nil` if the part was
  /// delivered, discarded, or is incomplete. A JPEG of unknown length is complete if it has its last marker.
  mutating func end() -> MultipartPart? {
    guard isStored, let end = lengthAtEnd, end <= limit else { return nil }
    return take(end)
  }

  /// The length of the body if the response ends here; `nil` if the body is incomplete.
  private var lengthAtEnd: Int? {
    if let match, match.isWhole { return hasOnlyLineEndsAfterStatedLength ? statedLength : length }
    if let statedLength, count < statedLength { return nil }
    let bytes = buffer.bytes
    if let statedLength, Self.areLineEnds(bytes[statedLength...]) { return statedLength }
    var end = bytes.count
    if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, end < bytes.count, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return !isJPEG || endsJPEG(at: end) ? end : nil
  }
}
