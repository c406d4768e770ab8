/// How the reader learns where a body ends (RFC 9112, section 6.3).
struct Framing: Equatable {
  var isChunked = false
  var isEndless = false

  /// What `Content-Length` says; nil when it is absent.
  var declaredLength: Int?

  /// Whether the connection cannot be used again, because its end is the body's end or the length lies.
  var endsWithConnection = false

  /// Chunks are unknown to HTTP/1.0; such a reader gets the same bytes up to the end of the connection.
  init(of message: Message, to request: Request, _ misbehaviour: Misbehaviour) {
    guard !message.isBodyless else { return }
    let wantsChunks = misbehaviour.isChunked || misbehaviour.isEndless
    isEndless = misbehaviour.isEndless
    if wantsChunks, !request.isHTTP10 {
      isChunked = true
    } else if wantsChunks || misbehaviour.length == .absent {
      endsWithConnection = true
    } else if case .off(let difference) = misbehaviour.length, difference != 0 {
      let (length, isTooMuch) = message.body.count.addingReportingOverflow(difference)
      declaredLength = isTooMuch ? .max : max(0, length)
      endsWithConnection = true
    } else {
      declaredLength = message.body.count
    }
  }

  /// The headers that say so.
  var headers: [Header] {
    if isChunked { return [Header("Transfer-Encoding", "chunked")] }
    return declaredLength.map { [Header("Content-Length", "\($0)")] } ?? []
  }
}
