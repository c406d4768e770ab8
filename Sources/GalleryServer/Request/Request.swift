/// The head of one HTTP request.
struct Request: Hashable {
  var method: String
  var target: Target
  var isHTTP10 = false

  /// By name in lower case; repeated ones are joined by a comma (RFC 9110, section 5.2).
  var headers: [String: String] = [:]

  /// Whether the client wants the connection kept (RFC 9112, section 9.3).
  var wantsKeepAlive: Bool {
    let options = (headers["connection"] ?? "").lowercased().split { $0 == "," || $0 == " " }
    return isHTTP10 ? options.contains("keep-alive") : !options.contains("close")
  }

  /// Whether bytes follow the head that are no request of their own.
  var hasBody: Bool {
    headers["transfer-encoding"] != nil || headers["content-length"].map { $0 != "0" } ?? false
  }
}
