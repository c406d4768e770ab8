/// The framing of a body: the headers that tell the client where the body ends (RFC 9112, section 6.3).
struct Framing: Equatable {
  var isChunked = false
  var isEndless = false

  /// The value of `Content-Length`; `nil` if the header is absent.
  var declaredLength: Int?

  /// True if the connection cannot be reused, because closing marks the end of the body or the declared length is
  /// wrong.
  var endsWithConnection = false

  /// Chooses the framing. HTTP/1.0 has no chunks: such a client receives a chunked body without chunks, up to the end
  /// of the connection.
  init(of message: Message, to request: Request, _ misbehaviour: Misbehaviour) {
    guard !message.isBodyless else { return }
    let wantsChunks = misbehaviour.isChunked || misbehaviour.isEndless
    isEndless = misbehaviour.isEndless
    if wantsChunks, !request.isHTTP10 {
      isChunked = true
    } else if wantsChunks || misbehaviour.length == .absent {
      endsWithConnection = true
    } else if case .off(let difference) = misbehaviour.length, difference != 0 {
      let (length, overflow) = message.part.count.addingReportingOverflow(difference)
      declaredLength = overflow ? .max : max(0, length)
      endsWithConnection = true
    } else {
      declaredLength = message.part.count
    }
  }

  /// The headers that declare the framing.
  var headers: [Header] {
    if isChunked { return [Header("Transfer-Encoding", "chunked")] }
    return declaredLength.map { [Header("Content-Length", "\($0)")] } ?? []
  }
}
