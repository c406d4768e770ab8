import Dispatch
import FoundationEssentials
import Synchronization
import Testing
import VitrineConcurrency
import VitrineCurlTransport
import VitrineLoading

/// A receiver that records its calls and lets a test wait for them.
final class Recorder: TransportReceiver {
  struct Calls {
    var responses: [TransportResponse] = []
    var body: [UInt8] = []
    /// The metrics of a failed transfer.
    var failureMetrics: TransportMetrics?
    var ends: [Result<TransportMetrics, ImageError>] = []
    /// True if calls came in a wrong order, or concurrently.
    var isDisorderly = false
  }

  private struct Waiter {
    let isDone: @Sendable (Calls) -> Bool
    let continuation: CheckedContinuation<Calls, Never>
  }

  private struct State {
    var calls = Calls()
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

  var calls: Calls { state.withLock { $0.calls } }

  /// Waits for the end of the transfer.
  @discardableResult
  func end() async -> Calls { await until { !$0.ends.isEmpty } }

  /// Waits until the recorded calls satisfy `isDone`.
  ///
  /// The wait also ends when the test's time limit expires, with the calls received so far.
  @discardableResult
  func until(_ isDone: @escaping @Sendable (Calls) -> Bool) async -> Calls {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let calls = state.withLock { state -> Calls? in
          if isDone(state.calls) || state.isGivenUp { return state.calls }
          state.waiters.append(Waiter(isDone: isDone, continuation: continuation))
          return nil
        }
        if let calls { continuation.resume(returning: calls) }
      }
    } onCancel: {
      let (waiters, calls) = state.withLock { state in
        defer { state.waiters = [] }
        state.isGivenUp = true
        return (state.waiters, state.calls)
      }
      for waiter in waiters { waiter.continuation.resume(returning: calls) }
    }
  }

  func transportDidReceive(_ response: TransportResponse) {
    enter()
    onResponse(response)
    leave { calls in
      if !calls.responses.isEmpty || !calls.ends.isEmpty { calls.isDisorderly = true }
      calls.responses.append(response)
    }
  }

  func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
    enter()
    let copy = Array(bytes)
    leave { calls in
      if calls.responses.isEmpty || !calls.ends.isEmpty || copy.isEmpty { calls.isDisorderly = true }
      calls.body += copy
    }
  }

  func transportWillFail(_ metrics: TransportMetrics) {
    enter()
    leave { calls in
      if calls.failureMetrics != nil || !calls.ends.isEmpty { calls.isDisorderly = true }
      calls.failureMetrics = metrics
    }
  }

  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
    enter()
    onEnd()
    leave { calls in
      if !calls.ends.isEmpty { calls.isDisorderly = true }
      calls.ends.append(result)
    }
  }

  private func enter() {
    state.withLock { state in
      if state.isInCall { state.calls.isDisorderly = true }
      state.isInCall = true
    }
  }

  private func leave(_ change: (inout Calls) -> Void) {
    let done = state.withLock { state -> [(Waiter, Calls)] in
      state.isInCall = false
      change(&state.calls)
      let calls = state.calls
      let done = state.waiters.filter { $0.isDone(calls) }
      state.waiters.removeAll { $0.isDone(calls) }
      return done.map { ($0, calls) }
    }
    for (waiter, calls) in done { waiter.continuation.resume(returning: calls) }
  }
}

extension Recorder.Calls {
  var error: ImageError? {
    guard case .failure(let error) = ends.first else { return nil }
    return error
  }

  var metrics: TransportMetrics? { try? ends.first?.get() }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The kind of the failure, if the network failed.
  var failure: TransportFailure? {
    guard case .transport(let failure, _) = error else { return nil }
    return failure
  }
}

extension CurlTransport {
  /// Starts a GET request and waits for its end.
  func get(
    _ url: String, headers: HTTPHeaders = [:], bodyLimit: Int = 64 << 20,
    timeouts: TransportRequest.Timeouts = .init()
  ) async throws -> Recorder.Calls {
    await get(
      TransportRequest(
        url: try #require(URL(string: url)), headers: headers, bodyLimit: bodyLimit, timeouts: timeouts))
  }

  func get(_ request: TransportRequest) async -> Recorder.Calls {
    let recorder = Recorder()
    _ = start(request, receiver: recorder)
    let calls = await recorder.end()
    #expect(!calls.isDisorderly && calls.ends.count == 1)
    return calls
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
