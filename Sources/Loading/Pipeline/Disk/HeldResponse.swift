/// A response that waits to be written, or is being written.
struct HeldResponse: Sendable {
  enum Body {
    case bytes([UInt8])
    case socket(SocketBuffer)
    case pages(HeldPages)
  }

  /// The smallest body that moves into memory of its own. Smaller bodies usually reuse memory of the heap.
  static let smallestMovedBody = 64 << 10
  /// The largest body that moves into memory of its own. Such a body is in memory twice while it is written.
  static let largestMovedBody = 2 << 20

  /// The response without its body.
  let head: StoredResponse
  let body: Body
  /// The length of the body in bytes.
  let bodyLength: Int

  /// Holds a response whose body the caller releases soon. A body of medium size is copied into memory of its own, so
  /// that the next download reuses the memory of the array: its pages are mapped already, and probably in a processor
  /// cache.
  ///
  /// - Parameter descriptorLimit: See `SocketBuffer`.
  init(moving response: StoredResponse, descriptorLimit: Int32 = SocketBuffer.descriptorLimit) {
    let isMoved = (Self.smallestMovedBody...Self.largestMovedBody).contains(response.body.count)
    self.init(response, body: isMoved ? Self.move(response.body, descriptorLimit) : .bytes(response.body))
  }

  /// Holds a response as it is.
  init(_ response: StoredResponse) { self.init(response, body: .bytes(response.body)) }

  private init(_ response: StoredResponse, body: Body) {
    var head = response
    head.body = []
    self.head = head
    self.body = body
    bodyLength = response.body.count
  }

  private static func move(_ bytes: [UInt8], _ descriptorLimit: Int32) -> Body {
    if let buffer = SocketBuffer(copying: bytes, descriptorLimit: descriptorLimit) { return .socket(buffer) }
    if let pages = HeldPages(copying: bytes) { return .pages(pages) }
    return .bytes(bytes)
  }

  /// True if the body is in memory of its own.
  var isMoved: Bool { if case .bytes = body { false } else { true } }

  /// The response with its body, which is copied if it is in memory of its own; nil if the bytes of a
  /// `SocketBuffer` are lost.
  var response: StoredResponse? {
    var response = head
    switch body {
    case .bytes(let bytes): response.body = bytes
    case .socket(let buffer):
      guard let bytes = buffer.bytes else { return nil }
      response.body = bytes
    case .pages(let pages): response.body = pages.bytes
    }
    return response
  }
}
