public import FoundationEssentials
import Synchronization
public import VitrineConcurrency
import VitrineGraphics
public import VitrineLoading

/// A transfer of a `FakeTransport`. The test sends its response. Calls after the end of the transfer have no effect.
///
/// While its receiver has no room for more bytes, the transfer is paused: bytes that the test sends are kept, and are
/// delivered on another thread once there is room.
public final class FakeTransfer: Cancellable {
  private struct State {
    /// The receiver; `nil` after the end, because a transport does not retain receivers beyond the end.
    var receiver: (any TransportReceiver)?
    var bytes = 0
    var isCancelled = false
    /// The bytes that wait for room, followed by the end of the transfer if the test has sent it.
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

  /// The request with which the transfer was started.
  public let request: TransportRequest
  /// Digests of the credentials that the transport had when the transfer began.
  package let credentials: CredentialDigests
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

  /// True if the transfer has been cancelled.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }
  /// True if the receiver has been told of the end.
  public var isEnded: Bool { state.withLock { $0.receiver == nil } }

  /// Sends the head of the response. `url` is the URL after redirects; `nil` means the URL of the request.
  public func respond(
    status: Int? = 200, headers: HTTPHeaders = [:], expectedLength: Int? = nil, url: URL? = nil
  ) {
    let response = TransportResponse(
      url: url ?? request.url, status: status, headers: headers, expectedLength: expectedLength,
      credentials: credentials)
    state.withLock { $0.receiver }?.transportDidReceive(response)
  }

  /// The receiver, for tests that imitate a transport that never asks for room; `nil` after the end.
  package var receiverForTesting: (any TransportReceiver)? { state.withLock { $0.receiver } }

  /// True while the transfer waits until the receiver has room.
  package var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Returns when the transfer has been resumed `count` times in total, or when the Swift task is cancelled.
  package func waitUntilResumed(_ count: Int) async { await resumed.wait(for: count) }

  /// Sends the next bytes of the body in one piece.
  public func send(_ bytes: [UInt8]) { send(.bytes(bytes)) }

  /// Ends the transfer with success. The default metrics report the bytes sent so far, one request and no new
  /// connection.
  public func finish(_ metrics: TransportMetrics? = nil) { send(.end(.success(metrics))) }

  /// Ends the transfer with an error.
  public func fail(_ error: ImageError) { send(.end(.failure(error))) }

  private func send(_ next: Unsent) {
    state.withLock { $0.unsent.append(next) }
    sendAll()
  }

  /// Delivers waiting bytes in order, until the receiver has no room. One thread at a time does this.
  private func sendAll() {
    let isSender = state.withLock { state in
      if state.isSending || state.isPaused { return false }
      state.isSending = true
      return true
    }
    guard isSender else { return }
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
        let hasSpace = receiver?.transportMayReceive(bytes.count) { self.resume() } ?? true
        guard hasSpace else {
          // Another thread may have resumed the transfer and left the delivery to this thread.
          let shouldContinue = state.withLock { state in
            state.isSending = !state.isPaused
            return state.isSending
          }
          if shouldContinue { continue }
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

  /// Sends a complete response: status 200, the body in one piece, and the end.
  public func respond(with body: [UInt8]) {
    respond(expectedLength: body.count)
    send(body)
    finish()
  }

  /// Records the cancellation, and ends the transfer with `.cancelled` unless the transport was created with
  /// `endsCancelled: false`.
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
