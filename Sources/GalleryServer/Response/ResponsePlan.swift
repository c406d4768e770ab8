/// A planned response: the steps that send it.
struct ResponsePlan: Equatable {
  /// The status; 0 for a response that is not HTTP.
  var status: Int
  var steps: [Step]

  /// The maximum average rate of the body in bytes per second; `nil` for no limit.
  var bytesPerSecond: Int?

  /// A step of the response. After the last step the connection waits for its next request.
  enum Step: Equatable {
    case wait(milliseconds: Int)

    /// Bytes around the body, such as the head and chunk sizes. Sent without a rate limit.
    case frame([UInt8])

    /// A range of the body.
    case body(Body, Range<Int>)

    /// Continues at the step with this index.
    case jump(to: Int)

    /// Sends nothing more until the client closes the connection.
    case stall

    /// Closes the connection with a reset (RST), which the client reads as an error.
    case reset

    /// Closes the connection in an orderly way (FIN).
    case close
  }

  /// The size of the chunks of a chunked body, in bytes.
  static let chunkSize = 16 * 1024
}

extension ResponsePlan {
  /// Plans the response to a request. `exhibit` is the resource at the request's target, or `nil` if there is none;
  /// `date` is the value of the `Date` header.
  init(to request: Request, for exhibit: Exhibit?, behaviour: Behaviour, date: String) {
    let misbehaviour = Misbehaviour(request.target)
    let wait = misbehaviour.latency ?? behaviour.latency.milliseconds(for: request.target.text)
    steps = wait > 0 ? [.wait(milliseconds: wait)] : []
    bytesPerSecond = misbehaviour.bytesPerSecond ?? behaviour.bytesPerSecond
    guard misbehaviour.content != .garbage else {
      status = 0
      steps += [.frame(Self.garbage), .close]
      return
    }

    let message = Message(to: request, for: exhibit, misbehaviour)
    status = message.status
    let keepsAlive =
      request.wantsKeepAlive && !misbehaviour.closesConnection && !request.hasBody && message.status != 405
    let framing = Framing(of: message, to: request, misbehaviour)
    let closesConnection = !keepsAlive || framing.endsWithConnection

    var headers = message.headers
    if headers.value(of: "Date") == nil { headers.insert(Header("Date", date), at: 0) }
    headers += framing.headers
    if closesConnection {
      headers.append(Header("Connection", "close"))
    } else if request.isHTTP10 {
      headers.append(Header("Connection", "keep-alive"))
    }
    steps.append(.frame(Self.head(status: status, headers)))
    if request.method != "HEAD", !message.isBodyless {
      appendBody(message.body, message.part, framing, cut: misbehaviour.cut)
    }
    if closesConnection, !steps.contains(where: \.isLast) { steps.append(.close) }
  }

  /// Plans the response to bytes that are not a valid request.
  init(to refusal: Refusal, date: String) {
    status = refusal.status
    let body = Array("\(status) \(reasonPhrase(of: status))\n".utf8)
    let headers = [
      Header("Date", date), Header("Content-Type", "text/plain"),
      Header("Content-Length", "\(body.count)"), Header("Connection", "close"),
    ]
    steps = [.frame(Self.head(status: status, headers)), .body(.bytes(body), 0..<body.count), .close]
  }

  /// Appends the steps of a part of the body. A cut counts from the beginning of the part, and also ends an endless
  /// body.
  private mutating func appendBody(
    _ body: Body, _ part: Range<Int>, _ framing: Framing, cut: Misbehaviour.Cut?
  ) {
    let isEndless = framing.isEndless && cut == nil
    let (body, part) =
      isEndless && part.isEmpty
      ? (.bytes(Array(repeating: 0, count: Self.chunkSize)), 0..<Self.chunkSize) : (body, part)
    let sent = part.prefix(cut?.after ?? .max)
    let start = steps.count
    if framing.isChunked {
      appendChunks(of: body, part, upTo: sent.upperBound)
    } else if !sent.isEmpty {
      steps.append(.body(body, sent))
    }
    switch cut?.ending {
    case .close: steps.append(.close)
    case .stall: steps.append(.stall)
    case .reset: steps.append(.reset)
    case nil where isEndless: steps.append(.jump(to: start))
    case nil where framing.isChunked: steps.append(.frame(Array("0\r\n\r\n".utf8)))
    case nil: break
    }
  }

  /// Appends a chunked body up to `end`. A chunk that is cut off still declares its full size.
  private mutating func appendChunks(of body: Body, _ part: Range<Int>, upTo end: Int) {
    for start in stride(from: part.lowerBound, to: end, by: Self.chunkSize) {
      let chunk = start..<min(start + Self.chunkSize, part.upperBound)
      steps.append(.frame(Array("\(String(chunk.count, radix: 16))\r\n".utf8)))
      steps.append(.body(body, start..<min(chunk.upperBound, end)))
      if chunk.upperBound <= end { steps.append(.frame(Array("\r\n".utf8))) }
    }
  }

  static func head(status: Int, _ headers: [Header]) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(reasonPhrase(of: status))\r\n"
    for header in headers { text += "\(header.name): \(header.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// Bytes that cannot be parsed as a status line.
  private static let garbage: [UInt8] = (0..<256).map { UInt8($0 &* 167 & 0xff) }
}

extension ResponsePlan.Step {
  /// True if no further step is performed after this one.
  fileprivate var isLast: Bool {
    switch self {
    case .jump, .stall, .reset, .close: true
    case .wait, .frame, .body: false
    }
  }
}
