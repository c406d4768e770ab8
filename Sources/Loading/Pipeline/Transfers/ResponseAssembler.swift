/// Assembles a response from the head, the body, the end, and the result of the response modifier. The end and the
/// result of the modifier may come in any order. Makes decisions only.
struct ResponseAssembler {
  /// The next step of the receiver.
  enum Step {
    case goOn
    /// Call the response modifier, and report the result with `modified`.
    case modify(TransportResponse)
    /// The response has ended, whether or not the transport has.
    case end(FetchEnd)
  }

  /// The requirements on the head.
  struct Expectations {
    /// The rules for acceptable responses; `nil` for a file or data URL.
    var acceptance: ResponseAcceptance?
    /// True if the request of the caller has a `Range` header.
    var acceptsPartialContent = false
    /// True for a conditional request.
    var isConditional = false
    /// True if there is a response modifier.
    var isModified = false
  }

  /// The resumable data of an earlier attempt.
  private(set) var resumed: ResumableData?
  private let expectations: Expectations
  /// The head for callers: that of the whole body, after the response modifier.
  private(set) var response: TransportResponse?
  private var buffer = BodyBuffer()
  /// The storage of earlier bodies.
  private let pool: BodyPool?
  var body: [UInt8] { buffer.bytes }
  /// The number that distinguishes bodies. A resumed body keeps the number of the earlier attempt.
  private(set) var bodyNumber: UInt64
  /// The head as received.
  private var head: TransportResponse?
  private(set) var isModifying = false
  /// The meaning of the response for the resumable data; `nil` before the head is received, and without such data.
  private var continuation: ResumableData.Continuation?
  private var isRest: Bool { continuation == .rest }
  var isNotModified: Bool { expectations.isConditional && head?.status == 304 }
  /// The end of the transport, while the response modifier is running.
  private var ending: Result<TransportMetrics, ImageError>?
  private(set) var isOver = false

  init(
    _ expectations: Expectations = .init(), resuming resumable: ResumableData? = nil, bodyNumber: UInt64 = 0,
    storingIn pool: BodyPool? = nil
  ) {
    self.expectations = expectations
    resumed = resumable
    self.bodyNumber = bodyNumber
    self.pool = pool
  }

  var progress: ImageTask.Progress {
    ImageTask.Progress(received: buffer.count, expected: response?.expectedLength)
  }

  /// True if the bytes received so far are the beginning of an acceptable body, as far as is known.
  var isBeginning: Bool {
    guard !isOver, !isModifying, !expectations.acceptsPartialContent, let response else { return false }
    return expectations.acceptance?.refusal(of: response) == nil
  }

  /// - Parameter isRedirected: True if the response came through a redirect.
  mutating func receive(_ response: TransportResponse, isRedirected: Bool = false) -> Step {
    guard !isOver else { return .goOn }
    head = response
    self.response = response
    continuation = resumed?.continuation(by: response, isRedirected: isRedirected)
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
      // A range that was not requested.
      if response.status == 206, !expectations.acceptsPartialContent { return finish(.failed(.status(206))) }
    }
    buffer = BodyBuffer(beginning, expected: self.response?.expectedLength, from: pool)
    guard let response = self.response, expectations.isModified, !isNotModified else { return judge() }
    isModifying = true
    return .modify(response)
  }

  /// Handles the result of the response modifier.
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

  mutating func receive(_ bytes: UnsafeRawBufferPointer) { if !isOver { buffer.append(bytes) } }

  /// Returns the number of bytes that must be reserved before `count` more arrive; `nil` if the bytes are discarded.
  func memoryNeeded(for count: Int) -> Int? {
    isOver ? nil : max(buffer.memoryNeeded(for: count), resumed?.bytes.count ?? 0)
  }

  /// The number of bytes in memory.
  var memoryUsed: Int { max(buffer.memoryUsed, resumed?.bytes.count ?? 0) }

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
        return finish(consume end)
      }
      // The server may have sent less than the rest.
      if isRest, resumed?.isCompleted(by: buffer.count, of: head) == false { return finish(.needsWhole) }
      let whole = buffer.take()
      var end = FetchEnd(
        .bytes(FetchedBytes(body: whole, response: response, metrics: metrics)), response: response)
      end.speaksHTTP2 = metrics.httpVersion == "2"
      end.isRest = isRest
      return finish(consume end)
    case .failure(.tooLarge(.body(let limit))):
      // The transport was given what resumable data leave of the limit for the whole body.
      guard let resumed, let continuation else { return finish(.failed(.tooLarge(.body(bytes: limit)))) }
      let (whole, isTooMuch) = limit.addingReportingOverflow(resumed.count)
      return finish(
        continuation == .whole ? .needsWhole : .failed(.tooLarge(.body(bytes: isTooMuch ? .max : whole))))
    case .failure(let error): return finish(.failed(error))
    }
  }

  /// Ends the response, because no caller wants the response any more: further bytes are dropped. Returns the resumable
  /// data, or `nil` if there are none.
  mutating func abandon() -> ResumableData? {
    isOver = true
    return takeResumableData()
  }

  /// Removes the bytes received so far, and returns these as resumable data, or `nil` if the rest cannot be requested.
  /// An attempt without a successful response returns the resumable data of the earlier attempt.
  mutating func takeResumableData() -> ResumableData? { resumableData(buffer.take()) }

  /// Returns the bytes received so far as resumable data, or `nil` if the rest cannot be requested. The response goes
  /// on.
  func resumableData() -> ResumableData? { isOver ? nil : resumableData(buffer.bytes) }

  private func resumableData(_ body: [UInt8]) -> ResumableData? {
    // The position of the range that the caller has requested is unknown.
    guard !expectations.acceptsPartialContent, continuation != .unusable else { return nil }
    guard let head, head.status.map({ 200...299 ~= $0 }) ?? true else { return resumed }
    var resumable = ResumableData(
      body, of: head, length: response?.expectedLength, validator: resumed?.validator)
    resumable?.number = bodyNumber
    if isRest, let resumed { resumable?.continues(resumed) }
    return resumable
  }

  /// Checks the head. An unacceptable status does not end the response at once, because the transport reads a short
  /// body to reuse the connection, unless a modifier is configured.
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

  private mutating func finish(_ end: consuming FetchEnd) -> Step {
    isOver = true
    return .end(consume end)
  }
}

extension TransportResponse {
  /// Returns the head of the whole body, made from the head of the rest.
  fileprivate func asWhole(after received: Int, length: Int?) -> TransportResponse {
    var headers = headers
    headers["Content-Range"] = nil
    let length = length ?? expectedLength.map { $0.addingSaturated(received) }
    if let length { headers["Content-Length"] = "\(length)" }
    return TransportResponse(
      url: url, status: 200, headers: headers, expectedLength: length, credentials: credentials)
  }
}
