import Callbacks
import FoundationEssentials
import Synchronization
import VitrineTesting

@testable import VitrineLoading

/// Collects the outcome of one transfer, and can block its thread with a gate.
final class LocalReceiver: TransportReceiver {
  struct Outcome: Sendable {
    var response: TransportResponse?
    var body: [UInt8] = []
    var metrics: TransportMetrics?
    var error: ImageError?
  }

  private let outcome = Mutex(Outcome())
  private let gate: Gate?
  private let done: @Sendable (Outcome) -> Void

  init(_ done: @escaping @Sendable (Outcome) -> Void, gate: Gate? = nil) {
    self.done = done
    self.gate = gate
  }

  func transportDidReceive(_ response: TransportResponse) {
    gate?.pass()
    outcome.withLock { $0.response = response }
  }

  func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
    outcome.withLock { $0.body.append(contentsOf: bytes) }
  }

  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
    done(
      outcome.withLock { outcome in
        switch result {
        case .success(let metrics): outcome.metrics = metrics
        case .failure(let error): outcome.error = error
        }
        return outcome
      })
  }
}

extension LocalTransport {
  /// Returns the outcome of a transfer of the URL.
  func outcome(
    of url: URL, bodyLimit: Int = 1 << 20, timeouts: TransportRequest.Timeouts = .init()
  ) async throws -> LocalReceiver.Outcome {
    try await callback {
      _ = start(
        TransportRequest(url: url, bodyLimit: bodyLimit, timeouts: timeouts), receiver: LocalReceiver($0))
    }
  }
}
