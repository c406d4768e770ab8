/// The body of a response in a live stream: parts that replace each other, or one image.
enum LiveBody: Sendable {
  case parts(MultipartParser)
  /// The body of a response that is not multipart, with its headers and the maximum length in bytes.
  case image(BodyBuffer, HTTPHeaders, limit: Int)

  /// - Parameter limit: The maximum length of a frame in bytes.
  init(_ response: TransportResponse, limit: Int) {
    let type = response.headers["Content-Type"].map { MediaType($0) }
    if let type, type.isMultipart {
      self = .parts(MultipartParser(boundary: type.boundary, partLimit: limit))
    } else {
      self = .image(BodyBuffer(expected: response.expectedLength), response.headers, limit: limit)
    }
  }

  /// True if the response may have many frames.
  var isMultipart: Bool {
    if case .parts = self { true } else { false }
  }

  /// True if nothing but parts without a body has arrived since the last byte of a frame.
  var hasOnlyEmptyParts: Bool {
    if case .parts(let parser) = self { parser.emptyParts > 0 } else { false }
  }

  /// The number of bytes in memory.
  var memoryUsed: Int {
    switch self {
    case .parts(let parser): parser.memoryUsed
    case .image(let buffer, _, _): buffer.count
    }
  }

  /// Returns the number of bytes to reserve before `count` more bytes are fed.
  func memoryNeeded(for count: Int) -> Int {
    switch self {
    case .parts(let parser): parser.memoryNeeded(for: count)
    case .image(let buffer, _, _): buffer.memoryNeeded(for: count)
    }
  }

  /// Reads the next bytes, and calls `deliver` with each frame that is complete.
  mutating func feed(
    _ bytes: UnsafeRawBufferPointer, deliver: (MultipartPart) -> Void
  ) throws(ImageError) {
    // Emptied meanwhile, so that the bytes have one owner and are not copied.
    let body = self
    self = .empty
    switch consume body {
    case .parts(var parser):
      defer { self = .parts(parser) }
      do throws(MultipartError) {
        try parser.feed(bytes, deliver: deliver)
      } catch {
        throw error.imageError
      }
    case .image(var buffer, let headers, let limit):
      defer { self = .image(buffer, headers, limit: limit) }
      guard bytes.count <= limit - buffer.count else { throw .tooLarge(.body(bytes: limit)) }
      buffer.append(bytes)
    }
  }

  /// Drops the frame that is being received, because there is no memory for it. Returns false if the response cannot go
  /// on without these bytes.
  mutating func discardFrame() -> Bool {
    guard case .parts(var parser) = self else { return false }
    self = .empty
    defer { self = .parts(parser) }
    return parser.discardPart()
  }

  /// Returns the last frame of a response that has ended; `nil` if there is none.
  mutating func finish() -> MultipartPart? {
    switch self {
    case .parts(var parser):
      self = .empty
      return parser.finish()
    case .image(let buffer, let headers, _):
      self = .empty
      return buffer.count == 0 ? nil : MultipartPart(headers: headers, body: buffer.bytes)
    }
  }

  private static let empty = LiveBody.image(BodyBuffer(), [:], limit: 0)
}
