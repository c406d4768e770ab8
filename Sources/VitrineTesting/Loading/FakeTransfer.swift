public import FoundationEssentials
import Synchronization
import VitrineGraphics
public import VitrineLoading

/// One transfer of a `FakeTransport`, answered by the test. What comes after its end is dropped.
public final class FakeTransfer: Cancellable {
  private struct State {
    /// nil after the end, as a transport keeps no receiver beyond it.
    var receiver: (any TransportReceiver)?
    var bytes = 0
    var isCancelled = false
  }

  /// What was asked for.
  public let request: TransportRequest
  private let endsCancelled: Bool
  private let state: Mutex<State>

  init(request: TransportRequest, receiver: any TransportReceiver, endsCancelled: Bool) {
    self.request = request
    self.endsCancelled = endsCancelled
    state = Mutex(State(receiver: receiver))
  }

  /// Whether somebody has cancelled it.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }
  /// Whether its receiver has heard the end.
  public var isEnded: Bool { state.withLock { $0.receiver == nil } }

  /// The head of the answer; `url` is where it came from after redirects, the request's own if nil.
  public func respond(
    status: Int? = 200, headers: HTTPHeaders = [:], expectedLength: Int? = nil, url: URL? = nil
  ) {
    let response = TransportResponse(
      url: url ?? request.url, status: status, headers: headers, expectedLength: expectedLength)
    state.withLock { $0.receiver }?.transportDidReceive(response)
  }

  /// The next bytes of the body.
  public func send(_ bytes: [UInt8]) {
    let receiver = state.withLock { state in
      if state.receiver != nil { state.bytes += bytes.count }
      return state.receiver
    }
    bytes.withUnsafeBytes { receiver?.transportDidReceive($0) }
  }

  /// The end, with what was sent as metrics, one request and no new connection, unless others are given.
  public func finish(_ metrics: TransportMetrics? = nil) {
    let sent = state.withLock { $0.bytes }
    end(.success(metrics ?? TransportMetrics(bytesReceived: sent, requests: 1)))
  }

  /// The end, with an error.
  public func fail(_ error: ImageError) { end(.failure(error)) }

  /// A whole answer: status 200, the body in one piece, the end.
  public func answer(with body: [UInt8]) {
    respond(expectedLength: body.count)
    send(body)
    finish()
  }

  /// Records it, and ends with `.cancelled` unless the transport leaves that to the test.
  public func cancel() {
    state.withLock { $0.isCancelled = true }
    if endsCancelled { end(.failure(.cancelled)) }
  }

  private func end(_ result: Result<TransportMetrics, ImageError>) {
    let (receiver, sent) = state.withLock { state in
      defer { state.receiver = nil }
      return (state.receiver, state.bytes)
    }
    if case .failure = result {
      receiver?.transportWillFail(TransportMetrics(bytesReceived: sent, requests: 1))
    }
    receiver?.transportDidFinish(result)
  }
}
