extension ResponsePlan {
  /// The boundary between the frames of a live stream.
  private static let boundary = "vitrine"

  /// Plans the response to a request for a live stream: `multipart/x-mixed-replace`, as cameras send it. The line end
  /// after a frame is sent with the frame, and the delimiter with the next one.
  init(to request: Request, for live: LiveExhibit, behaviour: Behaviour, date: String) {
    let misbehaviour = Misbehaviour(request.target)
    let wait = misbehaviour.latency ?? behaviour.latency.milliseconds(for: request.target.text)
    var headers = [
      Header("Date", date), Header("Content-Type", "multipart/x-mixed-replace; boundary=\(Self.boundary)"),
      Header("Cache-Control", "no-store"), Header("Connection", "close"),
    ]
    if let type = misbehaviour.contentType { headers.set("Content-Type", type) }
    for header in misbehaviour.headers { headers.set(header.name, header.value) }
    self.init(
      status: 200, steps: wait > 0 ? [.wait(milliseconds: wait)] : [],
      bytesPerSecond: misbehaviour.bytesPerSecond ?? behaviour.bytesPerSecond)
    steps.append(.frame(Self.head(status: status, headers)))
    if request.method == "HEAD" { steps.append(.close) } else { appendParts(of: live) }
  }

  private mutating func appendParts(of live: LiveExhibit) {
    let start = steps.count
    for number in 0..<(live.partCount ?? live.frames.count) {
      let frame = live.frames[number % live.frames.count]
      var head = "--\(Self.boundary)\r\nContent-Type: \(frame.contentType)\r\n"
      if live.statesLengths { head += "Content-Length: \(frame.body.count)\r\n" }
      steps.append(.frame(Array((head + "\r\n").utf8)))
      if frame.body.count > 0 { steps.append(.body(frame.body, 0..<frame.body.count)) }
      steps += [.frame(Array("\r\n".utf8)), .wait(milliseconds: 1000 / live.framesPerSecond)]
    }
    if live.partCount == nil {
      steps.append(.jump(to: start))
    } else if live.hangs {
      steps.append(.stall)
    } else {
      steps += [.frame(Array("--\(Self.boundary)--\r\n".utf8)), .close]
    }
  }
}
