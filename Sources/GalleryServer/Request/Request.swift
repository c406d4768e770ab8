/// The head of an HTTP request.
struct Request: Hashable {
  var method: String
  var target: Target
  var isHTTP10 = false

  /// The headers by name in lower case. The values of a repeated header are joined by a comma (RFC 9110, section 5.2).
  var headers: [String: String] = [:]

  /// True if the client wants to keep the connection open (RFC 9112, section 9.3).
  var wantsKeepAlive: Bool {
    let options = (headers["connection"] ?? "").lowercased().split { $0 == "," || $0 == " " }
    return isHTTP10 ? options.contains("keep-alive") : !options.contains("close")
  }

  /// True if the request declares a body after the head.
  var hasBody: Bool {
    headers["transfer-encoding"] != nil || headers["content-length"].map { $0 != "0" } ?? false
  }
}
