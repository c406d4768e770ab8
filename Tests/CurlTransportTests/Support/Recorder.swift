import Dispatch
import FoundationEssentials
import Synchronization
import Testing
import VitrineCurlTransport
import VitrineLoading

/// A receiver that records its calls and lets a test wait for them.
final class Recorder: TransportReceiver {
  struct Heard {
    var responses: [TransportResponse] = []
    var body: [UInt8] = []
    /// The metrics of a failed transfer.
    var spent: TransportMetrics?
    var ends: [Result<TransportMetrics, ImageError>] = []
    /// True if calls came in a wrong order, or concurrently.
    var isDisorderly = false
  }

  private struct Waiter {
    let isDone: @Sendable (Heard) -> Bool
    let continuation: CheckedContinuation<Heard, Never>
  }

  private struct State {
    var heard = Heard()
    var waiters: [Waiter] = []
    var isInCall = false
    /// True once a wait was cancelled.
    var isGivenUp = false
  }

  private let state = Mutex(State())
  private let onResponse: @Sendable (TransportResponse) -> Void
  private let onEnd: @Sendable () -> Void

  init(
    onResponse: @escaping @Sendable (TransportResponse) -> Void = { _ in },
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.onResponse = onResponse
    self.onEnd = onEnd
  }

  var heard: Heard { state.withLock { $0.heard } }

  /// Waits for the end of the transfer.
  @discardableResult
  func end() async -> Heard { await until { !$0.ends.isEmpty } }

  /// Waits until the recorded calls satisfy `isDone`.
  ///
  /// The wait also ends when the test's time limit expires, with the calls received so far.
  @discardableResult
  func until(_ isDone: @escaping @Sendable (Heard) -> Bool) async -> Heard {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let heard = state.withLock { state -> Heard? in
          if isDone(state.heard) || state.isGivenUp { return state.heard }
          state.waiters.append(Waiter(isDone: isDone, continuation: continuation))
          return nil
        }
        if let heard { continuation.resume(returning: heard) }
      }
    } onCancel: {
      let (waiters, heard) = state.withLock { state in
        defer { state.waiters = [] }
        state.isGivenUp = true
        return (state.waiters, state.heard)
      }
      for waiter in waiters { waiter.continuation.resume(returning: heard) }
    }
  }

  func transportDidReceive(_ response: TransportResponse) {
    enter()
    onResponse(response)
    leave { heard in
      if !heard.responses.isEmpty || !heard.ends.isEmpty { heard.isDisorderly = true }
      heard.responses.append(response)
    }
  }

  func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
    enter()
    let copy = Array(bytes)
    leave { heard in
      if heard.responses.isEmpty || !heard.ends.isEmpty || copy.isEmpty { heard.isDisorderly = true }
      heard.body += copy
    }
  }

  func transportWillFail(_ metrics: TransportMetrics) {
    enter()
    leave { heard in
      if heard.spent != nil || !heard.ends.isEmpty { heard.isDisorderly = true }
      heard.spent = metrics
    }
  }

  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
    enter()
    onEnd()
    leave { heard in
      if !heard.ends.isEmpty { heard.isDisorderly = true }
      heard.ends.append(result)
    }
  }

  private func enter() {
    state.withLock { state in
      if state.isInCall { state.heard.isDisorderly = true }
      state.isInCall = true
    }
  }

  private func leave(_ change: (inout Heard) -> Void) {
    let done = state.withLock { state -> [(Waiter, Heard)] in
      state.isInCall = false
      change(&state.heard)
      let heard = state.heard
      let done = state.waiters.filter { $0.isDone(heard) }
      state.waiters.removeAll { $0.isDone(heard) }
      return done.map { ($0, heard) }
    }
    for (waiter, heard) in done { waiter.continuation.resume(returning: heard) }
  }
}

extension Recorder.Heard {
  var error: ImageError? {
    guard case .failure(let error) = ends.first else { return nil }
    return error
  }

  var metrics: TransportMetrics? { try? ends.first?.get() }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The code of libcurl, if the transfer failed with one.
  var curlCode: Int? {
    guard case .transport(let code, _) = error else { return nil }
    return code
  }
}

extension CurlTransport {
  /// Starts a GET request and waits for its end.
  func get(
    _ url: String, headers: HTTPHeaders = [:], bodyLimit: Int = 64 << 20,
    timeouts: TransportRequest.Timeouts = .init()
  ) async throws -> Recorder.Heard {
    await get(
      TransportRequest(
        url: try #require(URL(string: url)), headers: headers, bodyLimit: bodyLimit, timeouts: timeouts))
  }

  func get(_ request: TransportRequest) async -> Recorder.Heard {
    let recorder = Recorder()
    _ = start(request, receiver: recorder)
    let heard = await recorder.end()
    #expect(!heard.isDisorderly && heard.ends.count == 1)
    return heard
  }

  @discardableResult
  func start(
    _ url: String, headers: HTTPHeaders = [:], bodyLimit: Int = 64 << 20,
    timeouts: TransportRequest.Timeouts = .init(), receiver: Recorder
  ) throws -> any Cancellable {
    let request = TransportRequest(
      url: try #require(URL(string: url)), headers: headers, bodyLimit: bodyLimit, timeouts: timeouts)
    return start(request, receiver: receiver)
  }
}
