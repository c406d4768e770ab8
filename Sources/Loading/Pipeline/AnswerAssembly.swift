/// Puts an answer together from its head, its body, its end and what a modifier makes of the head, in whatever order
/// the last two come. Decides only.
struct AnswerAssembly {
  /// What follows.
  enum Step {
    case goOn
    /// Ask the modifier, and report with `modified`.
    case modify(TransportResponse)
    /// It is over, whether or not the transport has ended.
    case end(FetchEnd)
  }

  /// What is asked of the head.
  struct Expectations {
    /// Nil for a file or data URL.
    var acceptance: ResponseAcceptance?
    /// Whether the caller asks for a part of the body itself.
    var allowsPart = false
    /// Whether it is asked for only if it has changed.
    var isConditional = false
    var isModified = false
  }

  /// What came of the body at an earlier try.
  private(set) var resumed: PartialBody?
  private let expectations: Expectations
  /// As the caller is to see it: of the whole body, and modified.
  private(set) var response: TransportResponse?
  private var buffer = BodyBuffer()
  var body: [UInt8] { buffer.bytes }
  /// Tells bodies apart: that of a rest is the number of what it continues.
  private(set) var bodyNumber: UInt64
  /// As it came.
  private var head: TransportResponse?
  private(set) var isModifying = false
  /// What the answer means for what was here.
  private var continuation: PartialBody.Continuation?
  private var isRest: Bool { continuation == .rest }
  private var isNotModified: Bool { expectations.isConditional && head?.status == 304 }
  /// The end of the transport, while the modifier is at work.
  private var ending: Result<TransportMetrics, ImageError>?
  private(set) var isOver = false

  init(
    _ expectations: Expectations = .init(), resuming partial: PartialBody? = nil, bodyNumber: UInt64 = 0
  ) {
    self.expectations = expectations
    resumed = partial
    self.bodyNumber = bodyNumber
  }

  var progress: ImageTask.Progress {
    ImageTask.Progress(received: buffer.count, expected: response?.expectedLength)
  }

  /// Whether what has come so far is the beginning of a picture that is wanted, for all that is known.
  var isBeginning: Bool {
    guard !isOver, !isModifying, !expectations.allowsPart, let response else { return false }
    return expectations.acceptance?.refusal(of: response) == nil
  }

  mutating func receive(_ response: TransportResponse) -> Step {
    guard !isOver else { return .goOn }
    head = response
    self.response = response
    continuation = resumed?.continuation(by: response)
    var beginning: [UInt8] = []
    switch continuation {
    case .rest?:
      // Taken out of `resumed`, because otherwise the first append would copy the bytes.
      beginning = resumed?.takeBytes() ?? []
      bodyNumber = resumed?.number ?? bodyNumber
      self.response = response.asWhole(after: beginning.count, length: resumed?.length)
    case .unusable?: return finish(.needsWhole)
    case .whole?:
      // A successful response replaces the resumable data; after a failure they are kept.
      if let status = response.status, 200...299 ~= status { _ = resumed?.takeBytes() }
    case nil:
      // The rest of something that nobody has: not what was asked for.
      if response.status == 206, !expectations.allowsPart { return finish(.failed(.status(206))) }
    }
    buffer = BodyBuffer(beginning, expected: self.response?.expectedLength)
    guard let response = self.response, expectations.isModified, !isNotModified else { return judge() }
    isModifying = true
    return .modify(response)
  }

  /// What the modifier made of the head.
  mutating func modified(_ result: Result<TransportResponse, ImageError>) -> Step {
    guard !isOver, isModifying else { return .goOn }
    isModifying = false
    switch result {
    case .success(let response):
      self.response = response
      if case .end(let end) = judge() { return .end(end) }
      return ending.map { end($0) } ?? .goOn
    case .failure(let error): return finish(.failed(error))
    }
  }

  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    if !isOver { buffer.append(bytes) }
  }

  /// Returns the number of bytes that must be reserved before `count` more arrive; nil if the bytes are discarded.
  func memoryNeeded(for count: Int) -> Int? {
    isOver ? nil : max(buffer.memoryNeeded(for: count), resumed?.bytes.count ?? 0)
  }

  /// The number of bytes in memory.
  var memoryUsed: Int { max(buffer.count, resumed?.bytes.count ?? 0) }

  /// The transport has ended.
  mutating func end(_ result: Result<TransportMetrics, ImageError>) -> Step {
    guard !isOver else { return .goOn }
    if isModifying, case .success = result {
      ending = result
      return .goOn
    }
    switch result {
    case .success(let metrics):
      if isNotModified, let response {
        var end = FetchEnd(.notModified(response, metrics), response: response)
        end.speaksHTTP2 = metrics.httpVersion == "2"
        return finish(end)
      }
      // A rest is all of what was missing, or no more is known of it than of any part.
      if isRest, resumed?.isCompleted(by: buffer.count, of: head) == false { return finish(.needsWhole) }
      let whole = buffer.take()
      var end = FetchEnd(
        .bytes(FetchedBytes(body: whole, response: response, metrics: metrics)), response: response)
      end.speaksHTTP2 = metrics.httpVersion == "2"
      end.isRest = isRest
      return finish(end)
    case .failure(.tooLarge(.body(let limit))):
      // The limit was what is left of one for all of it.
      guard let resumed, let continuation else { return finish(.failed(.tooLarge(.body(bytes: limit)))) }
      let (whole, isTooMuch) = limit.addingReportingOverflow(resumed.count)
      return finish(
        continuation == .whole ? .needsWhole : .failed(.tooLarge(.body(bytes: isTooMuch ? .max : whole))))
    case .failure(let error): return finish(.failed(error))
    }
  }

  /// Nobody wants it any more: what comes from now on is dropped.
  mutating func abandon() -> PartialBody? {
    isOver = true
    return takePartialBody()
  }

  /// Takes what has come so far, if the rest of it can be asked for later; the body is gone from here in any case. A
  /// try that has brought nothing of it leaves what was here before.
  mutating func takePartialBody() -> PartialBody? {
    let body = buffer.take()
    // Where a part begins that a caller has asked for is not known.
    guard !expectations.allowsPart, continuation != .unusable else { return nil }
    guard let head, head.status.map({ 200...299 ~= $0 }) ?? true else { return resumed }
    var partial = PartialBody(
      body, of: head, length: response?.expectedLength, validator: resumed?.validator)
    partial?.number = bodyNumber
    return partial
  }

  /// Whether the head is what is wanted. A status that is not ends with the transport, which reads a short body to be
  /// able to use its connection again, unless a modifier has made it so.
  private mutating func judge() -> Step {
    guard !isNotModified, let response, let refusal = expectations.acceptance?.refusal(of: response) else {
      return .goOn
    }
    if case .status = refusal, !expectations.isModified { return .goOn }
    return finish(.failed(refusal))
  }

  private mutating func finish(_ outcome: FetchEnd.Outcome) -> Step {
    finish(FetchEnd(outcome, response: response))
  }

  private mutating func finish(_ end: FetchEnd) -> Step {
    isOver = true
    return .end(end)
  }
}

extension TransportResponse {
  /// The head of the whole body, made from that of its rest.
  fileprivate func asWhole(after received: Int, length: Int?) -> TransportResponse {
    var headers = headers
    headers["Content-Range"] = nil
    let length = length ?? expectedLength.map { $0 + received }
    if let length { headers["Content-Length"] = "\(length)" }
    return TransportResponse(
      url: url, status: 200, headers: headers, expectedLength: length, credentials: credentials)
  }
}
