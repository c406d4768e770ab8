import Synchronization

/// Counts what pictures take in memory, wherever they are, and keeps it within one budget.
///
/// ```swift
/// let ledger = MemoryLedger(budget: 128 << 20)
/// cache.count(against: ledger)
/// configuration.ledger = ledger
/// ```
///
/// When the sum exceeds the budget, holders are asked to evict: the cache first, then textures, and, if a whole image
/// waits for room, data kept for previews. Images in use count even if no cache holds them. An image is decoded only when there is room for all the memory that its
/// decode needs. An image that needs more than the whole budget is refused. If no other image is being decoded and all
/// remaining memory is used by images on the screen, an image may exceed the budget by 24 MiB. Bodies reserve memory
/// before they are received, and wait while there is no room.
///
/// May be used from any thread. Counting takes a few nanoseconds and no lock.
public final class MemoryLedger: Sendable {
  /// What takes memory; holders are asked in this order.
  public enum Account: Int, Hashable, Sendable, CaseIterable {
    /// Pictures in the memory cache.
    case cache
    /// What the renderer has made of pictures and texts.
    case textures
    /// Encoded pictures that come in, or wait to be decoded.
    case bodies
    /// Pictures that are being decoded or transformed, or wait for that, and what is kept of those that are shown in part.
    case decoding
    /// Loaded images that a view or the application holds, and that no cache counts: those that are too large for the
    /// cache, and those that it has evicted. They count until they are released.
    case shown
  }

  /// Bytes, by account.
  public struct Usage: Hashable, Sendable {
    /// Pictures in the memory cache.
    public var cache = 0
    /// Textures.
    public var textures = 0
    /// Encoded pictures on their way.
    public var bodies = 0
    /// Pictures in the making.
    public var decoding = 0
    /// Images in use that no cache counts.
    public var shown = 0

    /// Nothing used.
    public init() {}

    /// All of it.
    public var total: Int { cache + textures + bodies + decoding + shown }
  }

  private struct Holders {
    struct Reference {
      let account: Account
      weak var holder: (any MemoryHolder)?
    }

    var references: [Reference] = []

    mutating func living() -> [(account: Account, holder: any MemoryHolder)] {
      references.removeAll { $0.holder == nil }
      return references.compactMap { reference in reference.holder.map { (reference.account, $0) } }
    }
  }

  /// Bytes that all accounts may take together.
  public let budget: Int

  private let cache = Atomic<Int>(0)
  private let textures = Atomic<Int>(0)
  private let bodies = Atomic<Int>(0)
  private let decoding = Atomic<Int>(0)
  private let shown = Atomic<Int>(0)
  private let sum = Atomic<Int>(0)
  private let highest = Atomic<Int>(0)
  private let holders = Mutex(Holders())
  private let watcher = Mutex<(@Sendable () -> Void)?>(nil)
  let waitingBodies = Mutex(WaitingBodies())
  let bodiesWait = Atomic(false)
  let work = Atomic<Int>(0)
  /// Held by the thread that looks for room for waiting bodies.
  let turns = Mutex(())

  /// A ledger in which nothing is counted yet.
  ///
  /// - Parameter budget: bytes; below 0 counts as 0. Without one it only counts.
  public init(budget: Int = .max) { self.budget = max(0, budget) }

  /// Bytes taken now. While several threads count, the accounts may be of slightly different moments.
  public var usage: Usage {
    var usage = Usage()
    usage.cache = cache.load(ordering: .relaxed)
    usage.textures = textures.load(ordering: .relaxed)
    usage.bodies = bodies.load(ordering: .relaxed)
    usage.decoding = decoding.load(ordering: .relaxed)
    usage.shown = shown.load(ordering: .relaxed)
    return usage
  }

  /// The most bytes that were ever taken together.
  public var peak: Int { highest.load(ordering: .relaxed) }

  // MARK: Holders

  /// From now on `holder` is asked to let go when the budget is passed. It is held weakly; one that was registered
  /// before stays what it is.
  public func register(_ holder: any MemoryHolder, as account: Account) {
    let others = holders.withLock { holders in
      let living = holders.living()
      guard !living.contains(where: { $0.holder === holder }) else { return living }
      holders.references.append(.init(account: account, holder: holder))
      // Stable, so that those of one account are asked in the order in which they came.
      holders.references.sort { $0.account.rawValue < $1.account.rawValue }
      return living
    }
    _ = others  // one that has just lost its owner goes here, outside the lock
  }

  /// Notifies all holders of memory pressure, and returns unused pixel memory to the system.
  public func relieve(_ pressure: MemoryPressure) {
    for (_, holder) in holders.withLock({ $0.living() }) { holder.relieve(pressure) }
    PixelMemory.shared.trim()
  }

  /// Keeps what `make` gives, which looks whether memory is short; does nothing where there is one already.
  package func watch(_ make: () -> @Sendable () -> Void) {
    guard watcher.withLock({ $0 == nil }) else { return }
    let new = make()
    watcher.withLock { if $0 == nil { $0 = new } }
  }

  /// Something is about to take memory, and no lock is held: a time to look how short it is.
  package func lookAround() { watcher.withLock { $0 }?() }

  // MARK: Counting

  /// Counts bytes that are taken, or with a negative number let go. Passing the budget makes holders let go before
  /// the call returns, so no lock that they need may be held.
  public func add(_ bytes: Int, to account: Account) {
    guard bytes != 0 else { return }
    count(bytes, account)
    // Sequentially consistent with the read of waiting bodies in `noteRelease`, so that a release is never missed.
    let total = sum.wrappingAdd(bytes, ordering: .sequentiallyConsistent).newValue
    guard bytes > 0 else { return noteRelease() }
    highest.max(total, ordering: .relaxed)
    if total > budget { makeRoom(for: 0) }
  }

  /// Counts bytes if they fit into the budget, or in any case; whether it did. Asks nobody for anything.
  func take(_ bytes: Int, for account: Account, inAnyCase: Bool) -> Bool {
    take(bytes, for: account, overdraft: inAnyCase ? .max : 0)
  }

  /// Reserves `bytes` if the total then exceeds the budget by at most `overdraft`; `Int.max` always reserves. Returns
  /// true if the bytes were reserved. Never evicts, so it may be called with a lock held.
  func take(_ bytes: Int, for account: Account, overdraft: Int) -> Bool {
    let (allowed, isUnlimited) = budget.addingReportingOverflow(overdraft)
    var total = sum.load(ordering: .relaxed)
    while true {
      // Below 0 while somebody on another thread has let go of what is counted only after that.
      guard isUnlimited || total <= allowed && bytes <= allowed - max(0, total) else { return false }
      let (exchanged, original) = sum.weakCompareExchange(
        expected: total, desired: total &+ bytes, ordering: .relaxed)
      if exchanged { break }
      total = original
    }
    count(bytes, account)
    highest.max(total &+ bytes, ordering: .relaxed)
    return true
  }

  /// Counts bytes in another account. The total stays the same.
  func move(_ bytes: Int, from old: Account, to new: Account) {
    count(-bytes, old)
    count(bytes, new)
  }

  /// Asks one holder after the other to let go of what is missing for so many bytes more.
  package func makeRoom(for bytes: Int) {
    guard budget != .max else { return }
    for (_, holder) in holders.withLock({ $0.living() }) {
      let missing = sum.load(ordering: .relaxed) &+ bytes &- budget
      guard missing > 0 else { return }
      holder.release(bytes: missing)
    }
  }

  private func count(_ bytes: Int, _ account: Account) {
    switch account {
    case .cache: cache.wrappingAdd(bytes, ordering: .relaxed)
    case .textures: textures.wrappingAdd(bytes, ordering: .relaxed)
    case .bodies: bodies.wrappingAdd(bytes, ordering: .relaxed)
    case .decoding: decoding.wrappingAdd(bytes, ordering: .relaxed)
    case .shown: shown.wrappingAdd(bytes, ordering: .relaxed)
    }
  }
}

extension MemoryLedger: Hashable {
  /// Whether the two are the same instance.
  public static func == (a: MemoryLedger, b: MemoryLedger) -> Bool { a === b }
  /// By identity, as `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
