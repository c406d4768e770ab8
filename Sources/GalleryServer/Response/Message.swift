/// The contents of a response before framing: status, headers and body.
struct Message: Equatable {
  var status: Int
  var headers: [Header]
  var body: Body

  /// True if the status does not allow a body (RFC 9112, section 6.3).
  var isBodyless: Bool { status == 204 || status == 304 }

  /// Creates the response to a request for an exhibit, or for a missing one (`nil`), with the changes of `misbehaviour`
  /// applied.
  init(to request: Request, for exhibit: Exhibit?, _ misbehaviour: Misbehaviour) {
    self = Message(request, exhibit, misbehaviour)
    if let type = misbehaviour.contentType { headers.set("Content-Type", type) }
    if let control = misbehaviour.cacheControl { headers.set("Cache-Control", control) }
    if let tag = misbehaviour.entityTag { headers.set("ETag", tag) }
    for header in misbehaviour.headers {
      headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
    }
    headers += misbehaviour.headers
    if status == 200, isUnchanged(for: request) {
      self = Message(status: 304, headers: headers.filter { $0.name.lowercased() != "content-type" })
    }
  }

  private init(status: Int, headers: [Header] = [], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  private init(status: Int, text: String, type: String = "text/plain") {
    self.init(status: status, headers: [Header("Content-Type", type)], body: .bytes(Array(text.utf8)))
  }

  /// Creates the message without the header changes from the query.
  private init(_ request: Request, _ exhibit: Exhibit?, _ misbehaviour: Misbehaviour) {
    if request.method != "GET", request.method != "HEAD" {
      self.init(status: 405)
      headers.append(Header("Allow", "GET, HEAD"))
    } else if request.hasBody {
      self.init(status: 400)
    } else if let location = Self.location(for: request.target, misbehaviour.redirect) {
      let statuses = [301, 302, 303, 307, 308]
      self.init(status: misbehaviour.status.flatMap { statuses.contains($0) ? $0 : nil } ?? 302)
      headers.append(Header("Location", location))
    } else if misbehaviour.content == .html {
      self.init(status: misbehaviour.status ?? 200, text: Self.page, type: "text/html; charset=utf-8")
    } else if misbehaviour.content == .empty {
      self.init(status: misbehaviour.status ?? 200)
      headers.append(Header("Content-Type", exhibit?.contentType ?? "application/octet-stream"))
    } else if let exhibit, misbehaviour.status == nil {
      let type = Header("Content-Type", exhibit.contentType)
      self.init(status: 200, headers: [type], body: exhibit.body)
      for header in exhibit.headers { headers.set(header.name, header.value) }
    } else {
      let status = misbehaviour.status ?? 404
      self.init(status: status, text: "\(status) \(reasonPhrase(of: status))\n")
    }
  }

  private static func location(for target: Target, _ redirect: Misbehaviour.Redirect?) -> String? {
    switch redirect {
    case .to(let url): url
    case .hops(let count) where count > 0: target.replacing("hops", by: "\(count - 1)")
    case .loop: target.text
    case .hops, nil: nil
    }
  }

  /// Returns true if the request's condition holds, so that the response is 304 (RFC 9110, sections 13.1.2 and 13.1.3).
  /// Dates are compared as text with the server's `Last-Modified`.
  private func isUnchanged(for request: Request) -> Bool {
    if let condition = request.headers["if-none-match"] {
      guard let tag = headers.value(of: "ETag") else { return false }
      let withoutWeakPrefix = { (tag: Substring) in tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
      let candidates = condition.split { $0 == "," || $0 == " " }
      return condition == "*" || candidates.contains { withoutWeakPrefix($0) == withoutWeakPrefix(tag[...]) }
    }
    guard let date = headers.value(of: "Last-Modified") else { return false }
    return request.headers["if-modified-since"] == date
  }

  private static let page = """
    <!DOCTYPE html>
    <html><head><title>Sign in</title></head><body><h1>Not a picture</h1></body></html>

    """
}
