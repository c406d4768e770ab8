import Synchronization
public import VitrineLoading

/// A data cache in memory that imitates a disk cache. Records calls, and can block them at gates.
///
/// ```swift
/// let disk = MemoryDataCache()
/// let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder(), dataCache: disk)
/// ```
public final class MemoryDataCache: ImageDataCache {
  private struct State {
    var responses: [RequestIdentity: StoredResponse] = [:]
    var lookups: [String] = []
    var stores = 0
  }

  private let gate: Gate
  private let removalGate: Gate
  private let state = Mutex(State())
  private let lookupWaiters = CountWaiters()

  /// Creates an empty cache. Lookups wait at `gate` and removals at `removalGate`; both are open by default.
  public init(gate: Gate = Gate(isOpen: true), removalGate: Gate = Gate(isOpen: true)) {
    self.gate = gate
    self.removalGate = removalGate
  }

  /// The URLs of all lookups so far, in order.
  public var lookups: [String] { state.withLock { $0.lookups } }
  /// The number of responses stored so far, including replacements.
  public var storeCount: Int { state.withLock { $0.stores } }
  /// The stored responses, in no particular order.
  public var responses: [StoredResponse] { state.withLock { Array($0.responses.values) } }

  /// Returns when `count` lookups have begun since the cache was created, or when the task is cancelled.
  package func waitUntilLookedUp(_ count: Int) async { await lookupWaiters.wait(for: count) }

  /// Modifies a stored response in place, for example to damage or age the response. Does nothing if there is none.
  public func change(_ identity: RequestIdentity, _ change: (inout StoredResponse) -> Void) {
    state.withLock { state in
      guard var response = state.responses[identity] else { return }
      change(&response)
      state.responses[identity] = response
    }
  }

  /// Records a lookup and waits at the gate, then returns the stored response; `nil` if there is none.
  public func response(for identity: RequestIdentity) -> StoredResponse? {
    let count = state.withLock { state in
      state.lookups.append(identity.url)
      return state.lookups.count
    }
    lookupWaiters.set(count)
    gate.pass()
    return state.withLock { $0.responses[identity] }
  }

  /// Stores a response and returns true.
  @discardableResult
  public func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    state.withLock { state in
      state.responses[identity] = response
      state.stores += 1
    }
    return true
  }

  /// Waits at the removal gate, then removes a response. Returns false if there was none.
  @discardableResult
  public func removeResponse(for identity: RequestIdentity) -> Bool {
    removalGate.pass()
    return state.withLock { $0.responses.removeValue(forKey: identity) != nil }
  }

  /// Waits at the removal gate, then removes all responses. Returns false if there were none.
  @discardableResult
  public func removeAllResponses() -> Bool {
    removalGate.pass()
    return state.withLock { state in
      defer { state.responses = [:] }
      return !state.responses.isEmpty
    }
  }

  /// Returns true if a response is stored. Does not count as a lookup.
  public func containsResponse(for identity: RequestIdentity) -> Bool {
    state.withLock { $0.responses[identity] != nil }
  }
}
