/// The misbehaviour that the query of a request target asks for.
///
/// Unknown items and items with invalid values are ignored. If an item is given several times, the last one counts,
/// except for `header`, where all count.
struct Misbehaviour: Equatable {
  /// The delay before the response, in milliseconds.
  var latency: Int?
  var bytesPerSecond: Int?
  var status: Int?
  var content: Content?
  var redirect: Redirect?
  var contentType: String?
  var cacheControl: String?
  var entityTag: String?
  var headers: [Header] = []
  var length: Length?
  var isChunked = false
  var isEndless = false
  var cut: Cut?
  var closesConnection = false

  /// The content that replaces the body of the resource.
  enum Content { case html, empty, garbage }

  enum Redirect: Equatable {
    case to(String)
    case hops(Int)
    case loop
  }

  /// The `Content-Length` header: wrong by a number of bytes, or absent.
  enum Length: Equatable {
    case off(by: Int)
    case absent
  }

  /// The end of a response after a number of body bytes.
  struct Cut: Equatable {
    var after: Int
    var ending: Ending

    enum Ending { case close, stall, reset }
  }

  /// True if the response is another one than that of the resource.
  var replacesResource: Bool { status != nil || content != nil || redirect != nil }

  init() {}

  init(_ target: Target) { for (name, value) in target.items { apply(name, value) } }

  private mutating func apply(_ name: String, _ value: String) {
    switch name {
    case "latency": latency = count(value) ?? latency
    case "rate": bytesPerSecond = count(value) ?? bytesPerSecond
    case "status": status = count(value).flatMap { (200...599).contains($0) ? $0 : nil } ?? status
    case "truncate": cut = count(value).map { Cut(after: $0, ending: .close) } ?? cut
    case "stall": cut = count(value).map { Cut(after: $0, ending: .stall) } ?? cut
    case "reset": cut = count(value).map { Cut(after: $0, ending: .reset) } ?? cut
    case "length": length = value == "none" ? .absent : Int(value).map { .off(by: $0) } ?? length
    case "chunked": isChunked = value == "1"
    case "endless": isEndless = value == "1"
    case "close": closesConnection = value == "1"
    case "html": content = value == "1" ? .html : content
    case "empty": content = value == "1" ? .empty : content
    case "garbage": content = value == "1" ? .garbage : content
    case "redirect" where Header.isValue(value): redirect = .to(value)
    case "hops": redirect = count(value).map { .hops($0) } ?? redirect
    case "loop": redirect = value == "1" ? .loop : redirect
    case "type" where Header.isValue(value): contentType = value
    case "maxage": cacheControl = count(value).map { "max-age=\($0)" } ?? cacheControl
    case "nostore": cacheControl = value == "1" ? "no-store" : cacheControl
    case "etag" where Header.isValue(value):
      entityTag = value.hasPrefix("\"") || value.hasPrefix("W/\"") ? value : "\"\(value)\""
    case "header": headers += Header(line: value).map { [$0] } ?? []
    default: break
    }
  }

  private func count(_ text: String) -> Int? { Int(text).flatMap { $0 >= 0 ? $0 : nil } }
}
