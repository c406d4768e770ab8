public import FoundationEssentials
import Synchronization
import VitrineGraphics
public import VitrineLoading

/// One transfer of a `FakeTransport`, answered by the test. What comes after its end is dropped.
///
/// While its receiver has no room for more bytes, the transfer is paused: what the test sends waits, and follows on
/// another thread once there is room.
public final class FakeTransfer: Cancellable {
  private struct State {
    /// nil after the end, as a transport keeps no receiver beyond it.
    var receiver: (any TransportReceiver)?
    var bytes = 0
    var isCancelled = false
    /// What waits for room: bytes, and the end behind them.
    var unsent: [Unsent] = []
    /// A thread hands over what waits.
    var isSending = false
    var isPaused = false
    var resumes = 0
  }

  private enum Unsent {
    case bytes([UInt8])
    case end(Result<TransportMetrics?, ImageError>)
  }

  /// What was asked for.
  public let request: TransportRequest
  /// Digests of what the transport added when the transfer began.
  public let credentials: CredentialDigests
  private let endsCancelled: Bool
  private let resumed = CountWaiters()
  private let state: Mutex<State>

  init(
    request: TransportRequest, receiver: any TransportReceiver, endsCancelled: Bool,
    credentials: CredentialDigests
  ) {
    self.request = request
    self.credentials = credentials
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
      url: url ?? request.url, status: status, headers: headers, expectedLength: expectedLength,
      credentials: credentials)
    state.withLock { $0.receiver }?.transportDidReceive(response)
  }

  /// Who hears of the transfer, to call as a transport does that never asks for room; nil after the end.
  package var receiverForTesting: (any TransportReceiver)? { state.withLock { $0.receiver } }

  /// Whether it waits until its receiver has room.
  public var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Returns as soon as the transfer has been resumed `count` times since the beginning; at once if it has, or if the
  /// task is cancelled.
  public func waitUntilResumed(_ count: Int) async { await resumed.wait(for: count) }

  /// The next bytes of the body, in one piece.
  public func send(_ bytes: [UInt8]) { send(.bytes(bytes)) }

  /// The end, with what was sent as metrics, one request and no new connection, unless others are given.
  public func finish(_ metrics: TransportMetrics? = nil) { send(.end(.success(metrics))) }

  /// The end, with an error.
  public func fail(_ error: ImageError) { send(.end(.failure(error))) }

  private func send(_ next: Unsent) {
    state.withLock { $0.unsent.append(next) }
    sendAll()
  }

  /// Hands over what waits, in its order, until the receiver has no room. One thread at a time does so.
  private func sendAll() {
    let isMine = state.withLock { state in
      if state.isSending || state.isPaused { return false }
      state.isSending = true
      return true
    }
    guard isMine else { return }
    while true {
      let (next, receiver) = state.withLock { state -> (Unsent?, (any TransportReceiver)?) in
        if state.receiver == nil { state.unsent = [] }
        state.isSending = !state.unsent.isEmpty
        return (state.unsent.first, state.receiver)
      }
      guard let next else { return }
      switch next {
      case .bytes(let bytes):
        state.withLock { $0.isPaused = true }
        let hasRoom = receiver?.transportMayReceive(bytes.count) { self.resume() } ?? true
        guard hasRoom else {
          // Resumed meanwhile, perhaps, by a thread that has left the sending to this one.
          let goesOn = state.withLock { state in
            state.isSending = !state.isPaused
            return state.isSending
          }
          if goesOn { continue }
          return
        }
        state.withLock { state in
          state.isPaused = false
          state.unsent.removeFirst()
          if state.receiver != nil { state.bytes += bytes.count }
        }
        bytes.withUnsafeBytes { receiver?.transportDidReceive($0) }
      case .end(let result):
        let sent = state.withLock { state in
          state.unsent = []
          return state.bytes
        }
        end(result.map { $0 ?? TransportMetrics(bytesReceived: sent, requests: 1) })
      }
    }
  }

  private func resume() {
    let count = state.withLock { state in
      state.isPaused = false
      state.resumes += 1
      return state.resumes
    }
    sendAll()
    // Only now, so that a test goes on when what waited has been handed over.
    resumed.set(count)
  }

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
