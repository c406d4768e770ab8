import Synchronization
import VitrineGraphics

/// Gathers the bytes of one fetch, and tells those who wait how far it is.
final class FetchReceiver: TransportReceiver {
  private struct State {
    var response: TransportResponse?
    var body: [UInt8] = []
    var watchers: [ImageTask] = []
    var failureMetrics: TransportMetrics?
    /// Let go at the end, or with the receiver.
    var activity: NetworkActivity.Running?
  }

  /// No more than this is reserved on a server's word.
  private static let trustedLength = 1 << 20

  private let id: FetchID
  private let isLocal: Bool
  private let state = Mutex(State())
  /// A transport that never ends does not keep a downloader that has gone.
  private weak let engine: LoadEngine?

  init(id: FetchID, isLocal: Bool, engine: LoadEngine) {
    self.id = id
    self.isLocal = isLocal
    self.engine = engine
  }

  /// The transfer begins; one on this machine is no activity of the network.
  func countsAsActivity(of network: NetworkActivity) {
    if !isLocal { state.withLock { $0.activity = network.begin() } }
  }

  /// Somebody has joined.
  func add(_ watcher: ImageTask) { state.withLock { $0.watchers.append(watcher) } }

  func transportDidReceive(_ response: TransportResponse) {
    let watchers = state.withLock {
      $0.response = response
      $0.body.reserveCapacity(max(0, min(response.expectedLength ?? 0, Self.trustedLength)))
      return $0.watchers
    }
    for watcher in watchers { watcher.report(.init(received: 0, expected: response.expectedLength)) }
  }

  func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
    let (watchers, progress) = state.withLock {
      $0.body.append(contentsOf: bytes)
      return ($0.watchers, ImageTask.Progress(received: $0.body.count, expected: $0.response?.expectedLength))
    }
    for watcher in watchers { watcher.report(progress) }
  }

  func transportWillFail(_ metrics: TransportMetrics) {
    if !isLocal { engine?.count(metrics) }
    state.withLock { $0.failureMetrics = metrics }
  }

  func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
    var ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    ended.activity = nil
    guard let engine else { return }
    let transfer = TraceEvent.Transfer(result, failureMetrics: ended.failureMetrics, isLocal: isLocal)
    engine.trace.record(.fetchEnded(fetch: id.number, transfer))
    if !isLocal, case .success(let metrics) = result { engine.count(metrics) }
    engine.fetchEnded(
      id, result.map { FetchedBytes(body: ended.body, response: ended.response, metrics: $0) })
  }
}
