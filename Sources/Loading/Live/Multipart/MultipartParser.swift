/// Splits a multipart response into parts, as its bytes arrive in pieces of any size.
///
/// ```swift
/// var parser = MultipartParser(boundary: "frame", partLimit: 64 << 20)
/// try parser.feed(bytes) { part in show(part.body) }
/// ```
///
/// The preamble is ignored. Lines end with LF or CRLF. A part ends at the next delimiter (`MultipartDelimiter`
/// describes which lines count), wherever a `Content-Length` states the end to be. A stated length only permits the
/// part to be delivered before the delimiter arrives, which cameras send with the next frame: if the length of an
/// earlier part was right and none was wrong, or if the bytes are a JPEG from its first marker to its last.
///
/// A part may lack headers, or the empty line after them if its body begins with a byte that no header begins with.
/// Parts without a body are skipped, up to a limit. After the closing delimiter, further parts are accepted.
///
/// The time is linear in the number of bytes, however the bytes are split. A stream in which no delimiter can be found
/// fails; frames are not searched for by JPEG markers, because embedded thumbnails have the same markers.
struct MultipartParser: Sendable {
  /// The maximum number of bytes of the headers of one part.
  static let headerLimit = 16 << 10
  /// The maximum number of bytes before the first delimiter, and after a closing one.
  static let preambleLimit = 64 << 10
  /// The maximum number of parts without a body, one after another.
  static let emptyPartLimit = 1000

  private enum Phase {
    case preamble
    case headers
    case body(ArrivingPart)
    case failed(MultipartError)
  }

  /// The evidence of earlier parts about stated lengths.
  private enum StatedLengths { case unknown, right, wrong }

  /// The number of steps taken so far, for tests.
  private(set) var examined = 0
  /// The number of parts without a body that have ended since the last byte of a body.
  private(set) var emptyParts = 0
  private let partLimit: Int
  private var delimiter: MultipartDelimiter
  private var phase = Phase.preamble
  private var statedLengths = StatedLengths.unknown
  /// The bytes of the current line outside a body, without its line end.
  private var line: [UInt8] = []
  private var headers = HTTPHeaders()
  private var headerBytes = 0
  private var preambleBytes = 0

  /// - Parameters:
  ///   - boundary: The boundary of the response's `Content-Type`; `nil` if there is none.
  ///   - partLimit: The maximum length of a part's body in bytes.
  init(boundary: String?, partLimit: Int) {
    delimiter = MultipartDelimiter(boundary: boundary)
    self.partLimit = min(max(0, partLimit), StatedNumber.largest)
  }

  /// The number of bytes in memory.
  var memoryUsed: Int {
    if case .body(let part) = phase { part.memoryUsed } else { line.count }
  }

  /// Returns the number of bytes to reserve before `count` more bytes are fed.
  func memoryNeeded(for count: Int) -> Int {
    if case .body(let part) = phase {
      part.memoryNeeded(for: count)
    } else {
      line.count.addingSaturated(count)
    }
  }

  // MARK: Feeding

  /// Reads the next bytes of the response, and calls `deliver` with each part that is complete. After an error, every
  /// call throws the error again.
  mutating func feed(
    _ bytes: UnsafeRawBufferPointer, deliver: (MultipartPart) -> Void
  ) throws(MultipartError) {
    var index = 0
    while index < bytes.count {
      do throws(MultipartError) {
        switch phase {
        case .preamble: try readPreamble(bytes, from: &index)
        case .headers: try readHeaders(bytes, from: &index)
        case .body(var part):
          // The phase must not hold a second reference to the bytes, which would be copied then.
          phase = .preamble
          let step = try part.read(bytes, from: &index, examining: &examined)
          try handle(step, of: consume part, deliver)
        case .failed(let error): throw error
        }
      } catch {
        phase = .failed(error)
        line = []
        throw error
      }
    }
  }

  /// Drops the part that is being received, of which the following bytes are not kept either. Returns false if no part
  /// is being received, or if the part was delivered or discarded already.
  mutating func discardPart() -> Bool {
    guard case .body(var part) = phase else { return false }
    phase = .preamble
    defer { phase = .body(part) }
    return part.discard()
  }

  /// Ends parsing, because the response has ended. Returns the last part if the response has no closing delimiter and
  /// the part is complete.
  mutating func finish() -> MultipartPart? {
    guard case .body(var part) = phase else { return nil }
    phase = .preamble
    return part.end()
  }

  // MARK: Preamble and headers

  private mutating func readPreamble(
    _ bytes: UnsafeRawBufferPointer, from index: inout Int
  ) throws(MultipartError) {
    while index < bytes.count {
      guard preambleBytes < Self.preambleLimit else { throw .noBoundary(limit: Self.preambleLimit) }
      let byte = bytes[index]
      index += 1
      examined &+= 1
      preambleBytes += 1
      guard byte == UInt8(ascii: "\n") else {
        // A longer line is no delimiter line.
        if line.count <= MultipartDelimiter.maximumBytes { line.append(byte) }
        continue
      }
      let text = takeLine()
      switch delimiter.classify(text) {
      case .delimiter: return beginHeaders()
      case .firstHeader:
        beginHeaders()
        return addHeader(text)
      case .closing, .other: continue
      }
    }
  }

  private mutating func readHeaders(
    _ bytes: UnsafeRawBufferPointer, from index: inout Int
  ) throws(MultipartError) {
    while index < bytes.count {
      let byte = bytes[index]
      if line.isEmpty, Self.beginsBody(byte) { return beginBody() }
      guard headerBytes < Self.headerLimit else { throw .headersTooLarge(limit: Self.headerLimit) }
      index += 1
      examined &+= 1
      headerBytes += 1
      guard byte == UInt8(ascii: "\n") else {
        line.append(byte)
        continue
      }
      let text = takeLine()
      if text.isEmpty { return beginBody() }
      switch delimiter.classify(text) {
      // The limit holds for repeated delimiters as well.
      case .delimiter: headers = HTTPHeaders()
      case .closing: return phase = .preamble
      case .firstHeader, .other: addHeader(text)
      }
    }
  }

  /// Returns true if no header line begins with the byte.
  private static func beginsBody(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte < 0x20 && !"\t\r\n".utf8.contains(byte)
  }

  private mutating func takeLine() -> [UInt8] {
    defer { line = [] }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }

  private mutating func beginHeaders() {
    phase = .headers
    headers = HTTPHeaders()
    headerBytes = 0
  }

  /// Adds a header line. Ignores continuation lines and lines without a colon.
  private mutating func addHeader(_ line: [UInt8]) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let first = line.first, first > 0x20 else {
      return
    }
    headers.append(
      name: String(decoding: line[..<colon].trimmingBlanks, as: UTF8.self),
      value: String(decoding: line[(colon + 1)...].trimmingBlanks, as: UTF8.self))
  }

  // MARK: Bodies

  private mutating func beginBody() {
    preambleBytes = 0
    let stated = headers["Content-Length"].flatMap { StatedNumber($0)?.value }
    let isUsable = statedLengths != .wrong && stated.map { $0 > 0 && $0 <= partLimit } == true
    phase = .body(
      ArrivingPart(
        headers: headers, statedLength: isUsable ? stated : nil, limit: partLimit,
        delimiter: delimiter.found ?? []))
    headers = HTTPHeaders()
  }

  private mutating func handle(
    _ step: ArrivingPart.Step, of part: consuming ArrivingPart, _ deliver: (MultipartPart) -> Void
  ) throws(MultipartError) {
    if part.hasBody { emptyParts = 0 }
    switch step {
    case .incomplete: phase = .body(part)
    case .statedLength:
      let mayDeliver = statedLengths == .right || part.isWholeJPEG
      let whole = mayDeliver ? part.take(part.statedLength ?? 0) : nil
      phase = .body(part)
      if let whole { deliver(whole) }
    case .delimiter(let isClosing):
      if !part.hasBody { emptyParts += 1 }
      guard emptyParts <= Self.emptyPartLimit else { throw .emptyParts(limit: Self.emptyPartLimit) }
      let whole = part.take(verifiedLength(of: part))
      if isClosing { phase = .preamble } else { beginHeaders() }
      if let whole { deliver(whole) }
    }
  }

  /// Compares the stated length of a part with the position of the delimiter after it. Returns the length of the body.
  private mutating func verifiedLength(of part: borrowing ArrivingPart) -> Int {
    guard let stated = part.statedLength else { return part.length }
    if stated == part.length || stated == part.lineStart {
      if statedLengths == .unknown { statedLengths = .right }
      return stated
    }
    if part.hasOnlyLineEndsAfterStatedLength { return stated }
    // The bytes after a part that was delivered are unknown. A few of them may be line ends.
    let isPlausible = stated < part.length && part.length - stated <= 4 && !part.isStored
    if !isPlausible { statedLengths = .wrong }
    return part.length
  }
}
