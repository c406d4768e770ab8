import FoundationEssentials
import Synchronization
import VitrineTesting

@testable import VitrineLoading

/// A fetch lock that records its calls.
final class FakeLock: FetchLockToken {
  private let counts = Mutex((progress: 0, waits: 0, releases: 0))
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void = {}) { self.onRelease = onRelease }

  var progress: Int { counts.withLock { $0.progress } }
  /// The number of reports that the transfer waits for its server.
  var waits: Int { counts.withLock { $0.waits } }
  var releases: Int { counts.withLock { $0.releases } }

  func noteProgress() { counts.withLock { $0.progress += 1 } }

  func noteWaiting() { counts.withLock { $0.waits += 1 } }

  func release() {
    counts.withLock { $0.releases += 1 }
    onRelease()
  }
}

/// A disk cache in memory that another process seems to share: the test holds locks and stores responses in its place.
final class SharedDisk: ImageDataCache {
  private struct State {
    /// The progress of the fetches of the other process, by URL.
    var others: [String: UInt64] = [:]
    /// The locks of this process, by URL.
    var own: [String: FakeLock] = [:]
    var locks: [FakeLock] = []
    var checks = 0
    var incomplete: [RequestIdentity: StoredResponse] = [:]
    var secondsSinceStore: Double?
  }

  let memory: MemoryDataCache
  /// The gate at which requests for a lock wait; open by default.
  let lockGate: Gate
  private let state = Mutex(State())
  private let lockDelay = Mutex<@Sendable () -> Void>({})

  init(lockGate: Gate = Gate(isOpen: true), removalGate: Gate = Gate(isOpen: true)) {
    self.lockGate = lockGate
    memory = MemoryDataCache(removalGate: removalGate)
  }

  /// Holds the lock of a URL for the other process; nil releases the lock.
  func holdElsewhere(_ name: String = "a.jpg", progress: UInt64?) {
    state.withLock { $0.others[url(name).absoluteString] = progress }
  }

  /// The number of seconds since a response was stored, as reported with each lock.
  var secondsSinceStore: Double? {
    get { state.withLock { $0.secondsSinceStore } }
    set { state.withLock { $0.secondsSinceStore = newValue } }
  }

  /// The number of checks for the progress of the other process.
  var checks: Int { state.withLock { $0.checks } }
  /// The locks that this process has taken, in order.
  var locks: [FakeLock] { state.withLock { $0.locks } }
  /// The URLs whose locks this process holds.
  var held: Set<String> { state.withLock { Set($0.own.keys) } }
  var incomplete: [StoredResponse] { state.withLock { Array($0.incomplete.values) } }

  /// Calls `delay` before each lock.
  func delayLocks(_ delay: @escaping @Sendable () -> Void) { lockDelay.withLock { $0 = delay } }

  // MARK: ImageDataCache

  var preparesFetches: Bool { true }

  func fetchLock(for identity: RequestIdentity) -> FetchLock? {
    lockGate.pass()
    lockDelay.withLock { $0 }()
    return state.withLock { state in
      if let progress = state.others[identity.url] {
        return .heldByAnother(FetchLockProgress(received: progress))
      }
      let lock = FakeLock { [weak self] in self?.state.withLock { $0.own[identity.url] = nil } }
      state.own[identity.url] = lock
      state.locks.append(lock)
      return .acquired(lock, secondsSinceStore: state.secondsSinceStore)
    }
  }

  func fetchProgress(for identity: RequestIdentity) -> FetchLockProgress? {
    state.withLock { state in
      state.checks += 1
      return state.others[identity.url].map { FetchLockProgress(received: $0) }
    }
  }

  func incompleteResponse(
    for identity: RequestIdentity, reserving reserve: (Int) -> Void
  ) -> StoredResponse? {
    let response = state.withLock { $0.incomplete[identity] }
    if let response { reserve(response.body.count) }
    return response
  }

  func containsIncompleteResponse(for identity: RequestIdentity) -> Bool {
    state.withLock { $0.incomplete[identity] != nil }
  }

  func storeIncomplete(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    state.withLock { $0.incomplete[identity] = response }
    return true
  }

  func response(for identity: RequestIdentity) -> StoredResponse? { memory.response(for: identity) }
  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    memory.store(response, for: identity)
  }
  func removeResponse(for identity: RequestIdentity) -> Bool { memory.removeResponse(for: identity) }
  func removeAllResponses() -> Bool { memory.removeAllResponses() }
  func containsResponse(for identity: RequestIdentity) -> Bool { memory.containsResponse(for: identity) }
}
