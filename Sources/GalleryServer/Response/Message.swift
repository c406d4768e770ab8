/// The contents of a response before framing: status, headers and body.
struct Message: Equatable {
  var status: Int
  var headers: [Header]
  var body: Body
  /// The range of the body that is sent.
  var part: Range<Int>
  /// True if the body is that of the resource, and not a text of the server.
  private var hasResource = false

  /// True if the status does not allow a body (RFC 9112, section 6.3).
  var isBodyless: Bool { status == 204 || status == 304 }

  /// Creates the response to a request for an exhibit, or for a missing one (`nil`), with the changes of `misbehaviour`
  /// applied.
  init(to request: Request, for exhibit: Exhibit?, _ misbehaviour: Misbehaviour) {
    self = Message(request, exhibit, misbehaviour)
    if let type = misbehaviour.contentType { headers.set("Content-Type", type) }
    if let control = misbehaviour.cacheControl { headers.set("Cache-Control", control) }
    if let tag = misbehaviour.entityTag { headers.set("ETag", tag) }
    replaceHeaders(by: misbehaviour.headers)
    if status == 200, isUnchanged(for: request) {
      self = Message(status: 304, headers: headers.filter { $0.name.lowercased() != "content-type" })
    } else if hasResource, !misbehaviour.isEndless, allowsRange(of: request) {
      apply(ByteRange(of: request, count: body.count), misbehaviour)
    }
  }

  private init(status: Int, headers: [Header] = [], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
    part = 0..<body.count
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
      hasResource = true
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

  /// Returns true if the request has no `If-Range`, or one that names the current response: an entity tag by strong
  /// comparison, or the exact date (RFC 9110, section 13.1.5). A file is taken to change at most once in a second.
  private func allowsRange(of request: Request) -> Bool {
    guard let validator = request.headers["if-range"] else { return true }
    if validator.hasPrefix("\"") { return validator == headers.value(of: "ETag") }
    return !validator.hasPrefix("W/") && validator == headers.value(of: "Last-Modified")
  }

  /// Reduces the response to a part of the body, or replaces it if there is no such part. A `Content-Range` of the
  /// query is kept.
  private mutating func apply(_ range: ByteRange, _ misbehaviour: Misbehaviour) {
    let count = body.count
    let contentRange: String
    switch range {
    case .whole: return
    case .part(let bytes):
      (status, part) = (206, bytes)
      contentRange = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(count)"
    case .unsatisfiable:
      self = Message(status: 416, text: "416 \(reasonPhrase(of: 416))\n")
      replaceHeaders(by: misbehaviour.headers)
      contentRange = "bytes */\(count)"
    }
    if headers.value(of: "Content-Range") == nil { headers.append(Header("Content-Range", contentRange)) }
  }

  private mutating func replaceHeaders(by replacements: [Header]) {
    for header in replacements { headers.removeAll { $0.name.lowercased() == header.name.lowercased() } }
    headers += replacements
  }

  private static let page = """
    <!DOCTYPE html>
    <html><head><title>Sign in</title></head><body><h1>Not a picture</h1></body></html>

    """
}
