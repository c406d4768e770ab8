public import FoundationEssentials
import Synchronization
import VitrineGraphics
public import VitrineLoading

/// One transfer of a `FakeTransport`, answered by the test. What comes after its end is dropped.
///
/// While its receiver has no room for more bytes, the transfer is paused: bytes that the test sends are kept, and are
/// delivered on another thread once there is room.
public final class FakeTransfer: Cancellable {
  private struct State {
    /// nil after the end, as a transport keeps no receiver beyond it.
    var receiver: (any TransportReceiver)?
    var bytes = 0
    var isCancelled = false
    /// The bytes that wait for room, and the end after them.
    var unsent: [Unsent] = []
    /// True while a thread delivers waiting bytes.
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
  /// Digests of the credentials that the transport had when the transfer began.
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

  /// The receiver, for tests that imitate a transport that never asks for room; nil after the end.
  package var receiverForTesting: (any TransportReceiver)? { state.withLock { $0.receiver } }

  /// True while the transfer waits for its receiver to have room.
  public var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Returns when the transfer has been resumed `count` times since its beginning, or when the Swift task is cancelled.
  public func waitUntilResumed(_ count: Int) async { await resumed.wait(for: count) }

  /// Sends the next bytes of the body in one piece.
  public func send(_ bytes: [UInt8]) { send(.bytes(bytes)) }

  /// The end, with what was sent as metrics, one request and no new connection, unless others are given.
  public func finish(_ metrics: TransportMetrics? = nil) { send(.end(.success(metrics))) }

  /// The end, with an error.
  public func fail(_ error: ImageError) { send(.end(.failure(error))) }

  private func send(_ next: Unsent) {
    state.withLock { $0.unsent.append(next) }
    sendAll()
  }

  /// Delivers waiting bytes in order, until the receiver has no room. One thread at a time does this.
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
          // Another thread may have resumed the transfer and left the delivery to this thread.
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
    // Set after delivery, so that a waiting test continues when the bytes have been delivered.
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
