/// A response that waits to be written, or is being written.
struct HeldResponse: Sendable {
  private enum Body {
    case bytes([UInt8])
    case pages(HeldPages)
  }

  /// The smallest body that moves into pages of its own. Smaller bodies usually reuse memory of the heap.
  static let smallestMovedBody = 64 << 10
  /// The largest body that moves into pages of its own. Such a body is in memory twice while it is written.
  static let largestMovedBody = 2 << 20

  /// The response without its body.
  let head: StoredResponse
  private let body: Body
  /// The length of the body in bytes.
  let bodyLength: Int

  /// Holds a response whose body the caller releases soon. A body of medium size is copied into pages of its own, so
  /// that the next download reuses the memory of the array: its pages are mapped already, and probably in a processor
  /// cache.
  init(moving response: StoredResponse) {
    let isMoved = (Self.smallestMovedBody...Self.largestMovedBody).contains(response.body.count)
    self.init(response, pages: isMoved ? HeldPages(copying: response.body) : nil)
  }

  /// Holds a response as it is.
  init(_ response: StoredResponse) { self.init(response, pages: nil) }

  private init(_ response: StoredResponse, pages: HeldPages?) {
    var head = response
    head.body = []
    self.head = head
    body = pages.map { .pages($0) } ?? .bytes(response.body)
    bodyLength = response.body.count
  }

  /// True if the body is in pages of its own.
  var isMoved: Bool { if case .pages = body { true } else { false } }

  /// The response with its body, which is copied if it is in pages of its own.
  var response: StoredResponse {
    var response = head
    response.body =
      switch body {
      case .bytes(let bytes): bytes
      case .pages(let pages): pages.bytes
      }
    return response
  }
}
