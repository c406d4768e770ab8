import VitrineLoading

/// Computes the room that a receiver must have before bytes of a body are delivered.
///
/// Over HTTP/1 a paused body stays in the socket. Over HTTP/2, libcurl buffers what arrives before the server learns of
/// the pause, so that the receiver needs room for that as well. A body of unknown length that can be requested again is
/// aborted instead of paused. Its reservation grows with the bytes received, which makes such an abort rare.
struct BodyRoom: Hashable, Sendable {
  /// The number of bytes to reserve at first for a body that can be requested again.
  static let firstGrant = 256 << 10
  /// The number of bytes that libcurl lets a server send ahead on an HTTP/2 stream (`HTTP2_HUGE_WINDOW_SIZE`). libcurl
  /// buffers these bytes while a transfer is paused.
  static let streamWindow = 32 << 20

  /// The properties of a body that the head of its response declares.
  struct Body: Hashable {
    let expectedLength: Int?
    /// True for a body of unknown length whose request can be sent again in the middle of the body: a strong validator
    /// then shows that the bytes are the same (RFC 9110, 8.8.1).
    let isRepeatable: Bool

    init(_ response: TransportResponse) {
      expectedLength = response.expectedLength
      isRepeatable =
        response.status == 200 && response.expectedLength == nil
        && response.headers["ETag"]?.hasPrefix("\"") == true
    }
  }

  /// The maximum number of bytes of the body.
  let limit: Int
  /// The body that is delivered; `nil` before its head has been reported.
  var body: Body?
  /// The number of bytes received so far.
  private(set) var bytesReceived = 0
  /// The number of bytes for which the receiver has room.
  private var bytesGranted = 0

  init(limit: Int) { self.limit = limit }

  mutating func received(_ count: Int) { bytesReceived += count }

  /// Notes that the receiver has room for `count` more bytes.
  mutating func grant(_ count: Int) { bytesGranted = max(bytesGranted, bytesReceived + count) }

  /// Returns the number of bytes for which the receiver must have room before the next `count` bytes are delivered, or
  /// before the head of `body` is reported.
  func bytesToReserve(for count: Int = 0, of body: Body? = nil, speaksHTTP2: Bool) -> Int {
    guard speaksHTTP2, let body = body ?? self.body else { return count }
    let ahead = min(max(0, limit - bytesReceived), Self.streamWindow)
    if body.isRepeatable {
      let isGranted = count > 0 && count <= bytesGranted - bytesReceived
      return isGranted ? count : max(count, min(ahead, max(bytesReceived, Self.firstGrant)))
    }
    return max(count, min(ahead, body.expectedLength.map { max(0, $0 - bytesReceived) } ?? ahead))
  }
}
