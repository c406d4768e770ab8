import Synchronization
public import VitrineLoading

/// A disk cache without a disk: keeps answers in memory, counts what it is asked, and may be held.
///
/// ```swift
/// let disk = MemoryDataCache()
/// let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder(), dataCache: disk)
/// ```
public final class MemoryDataCache: ImageDataCache {
  private struct State {
    var answers: [RequestIdentity: StoredAnswer] = [:]
    var lookups: [String] = []
    var stores = 0
  }

  private let gate: Gate
  private let removalGate: Gate
  private let state = Mutex(State())
  private let looked = CountWaiters()

  /// An empty one. Lookups wait until `gate` is open and removals until `removalGate` is, which they are by default.
  public init(gate: Gate = Gate(isOpen: true), removalGate: Gate = Gate(isOpen: true)) {
    self.gate = gate
    self.removalGate = removalGate
  }

  /// URLs that were looked up, in order.
  public var lookups: [String] { state.withLock { $0.lookups } }
  /// Answers that were given to it.
  public var storeCount: Int { state.withLock { $0.stores } }
  /// What it has.
  public var answers: [StoredAnswer] { state.withLock { Array($0.answers.values) } }

  /// Returns as soon as `count` lookups have begun since the beginning; at once if they have, or if the task is
  /// cancelled.
  public func waitUntilAsked(_ count: Int) async { await looked.wait(for: count) }

  /// Changes an answer as nobody else could, if it is there: to damage it, or to make it older.
  public func change(_ identity: RequestIdentity, _ change: (inout StoredAnswer) -> Void) {
    state.withLock { state in
      guard var answer = state.answers[identity] else { return }
      change(&answer)
      state.answers[identity] = answer
    }
  }

  /// The answer, once the gate is open.
  public func answer(for identity: RequestIdentity) -> StoredAnswer? {
    let count = state.withLock { state in
      state.lookups.append(identity.url)
      return state.lookups.count
    }
    looked.set(count)
    gate.pass()
    return state.withLock { $0.answers[identity] }
  }

  /// Always kept.
  @discardableResult
  public func store(_ answer: StoredAnswer, for identity: RequestIdentity) -> Bool {
    state.withLock { state in
      state.answers[identity] = answer
      state.stores += 1
    }
    return true
  }

  /// Whether there was one.
  @discardableResult
  public func removeAnswer(for identity: RequestIdentity) -> Bool {
    removalGate.pass()
    return state.withLock { $0.answers.removeValue(forKey: identity) != nil }
  }

  /// Whether there was any.
  @discardableResult
  public func removeAllAnswers() -> Bool {
    removalGate.pass()
    return state.withLock { state in
      defer { state.answers = [:] }
      return !state.answers.isEmpty
    }
  }

  /// Counts as no lookup.
  public func containsAnswer(for identity: RequestIdentity) -> Bool {
    state.withLock { $0.answers[identity] != nil }
  }
}
