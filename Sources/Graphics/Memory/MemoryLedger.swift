import Synchronization
import VitrineConcurrency

/// Accounts for all memory that images take, and keeps the total within one budget.
///
/// ```swift
/// var configuration = ImageDownloader.Configuration()
/// configuration.memory.ledger = MemoryLedger(budget: 128 << 20)
/// ```
///
/// An application needs a ledger of its own only for a budget other than that of `MemoryBudget`, and reads `usage` and
/// `peak` to watch its memory.
///
/// When the total exceeds the budget, memory holders are asked to evict: the cache first, then textures, and, if a
/// whole image waits for memory, data kept for previews. Images in use count even if no cache holds them. An image is
/// decoded only when there is room for all the memory that its decode needs. An image that needs more than the whole
/// budget is refused. If no other image is being decoded and all remaining memory is used by images on the screen, an
/// image may exceed the budget by 24 MiB. Bodies reserve memory before they are received, and wait while there is no
/// room.
///
/// May be used from any thread. Counting takes a few nanoseconds, and takes no lock unless a body waits for memory.
public final class MemoryLedger: Sendable {
  /// A category of memory use. Holders are asked to evict in the order of the cases.
  package enum Account: Int, Hashable, Sendable, CaseIterable {
    /// Images in the memory cache.
    case cache
    /// Textures of images and texts in the renderer.
    case textures
    /// Bodies that are being received or wait to be decoded.
    case bodies
    /// Images that are being decoded or transformed or wait for that, and the data kept for previews.
    case decoding
    /// Loaded images that a view or the application holds, and that no cache counts: those that are too large for the
    /// cache, and those that it has evicted. They count until they are released.
    case shown
  }

  /// The bytes in use, by account.
  public struct Usage: Hashable, Sendable {
    /// The bytes of images in the memory cache.
    public var cache = 0
    /// The bytes of textures.
    public var textures = 0
    /// The bytes of bodies that are being received or wait to be decoded.
    public var bodies = 0
    /// The bytes of images that are being decoded or transformed or wait for that, and of data kept for previews.
    public var decoding = 0
    /// The bytes of images in use that no cache counts.
    public var shown = 0

    /// Creates a usage of 0 bytes in all accounts.
    package init() {}

    /// The sum of all accounts in bytes.
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

  /// The maximum number of bytes for all accounts together.
  public let budget: Int

  private let cache = Atomic<Int>(0)
  private let textures = Atomic<Int>(0)
  private let bodies = Atomic<Int>(0)
  private let decoding = Atomic<Int>(0)
  private let shown = Atomic<Int>(0)
  private let sum = Atomic<Int>(0)
  private let highest = Atomic<Int>(0)
  private let holders = Mutex(Holders())
  private let pressureCheck = Mutex<(@Sendable () -> Void)?>(nil)
  let waitingBodies = Mutex(WaitingBodies())
  let hasWaitingBodies = Atomic(false)
  let workCount = Atomic<Int>(0)
  /// Held by the thread that reserves memory for waiting bodies.
  let reservationLock = Mutex(())

  /// Creates an empty ledger.
  ///
  /// - Parameter budget: The maximum number of bytes; negative values count as 0. By default there is no limit, and the
  ///   ledger only counts.
  public init(budget: Int = .max) { self.budget = max(0, budget) }

  /// The bytes in use. While other threads count, the accounts may be from slightly different moments.
  public var usage: Usage {
    var usage = Usage()
    usage.cache = cache.load(ordering: .relaxed)
    usage.textures = textures.load(ordering: .relaxed)
    usage.bodies = bodies.load(ordering: .relaxed)
    usage.decoding = decoding.load(ordering: .relaxed)
    usage.shown = shown.load(ordering: .relaxed)
    return usage
  }

  /// The highest total so far, in bytes.
  public var peak: Int { highest.load(ordering: .relaxed) }

  // MARK: Holders

  /// Registers a holder that is asked to evict when the total exceeds the budget. The ledger keeps a weak reference. A
  /// holder that is registered already keeps its account.
  package func register(_ holder: any MemoryHolder, as account: Account) {
    // A holder that has lost its other owners meanwhile is released after the lock.
    holders.releaseAfterLock { holders in
      let living = holders.living()
      guard !living.contains(where: { $0.holder === holder }) else { return living }
      holders.references.append(.init(account: account, holder: holder))
      // The sort is stable: holders of one account are asked in the order of their registration.
      holders.references.sort { $0.account.rawValue < $1.account.rawValue }
      return living
    }
  }

  /// Makes the caches and the textures evict, and returns unused pixel memory to the system. The library calls this
  /// method itself when the machine or the control group runs short; a program calls it when it needs the memory for
  /// something else.
  public func handlePressure(_ pressure: MemoryPressure) {
    for (_, holder) in holders.withLock({ $0.living() }) { holder.handlePressure(pressure) }
    PixelMemory.shared.trim()
  }

  /// Stores the function that `make` returns as the memory pressure check. Does nothing if the ledger already has a
  /// check.
  package func setPressureCheck(_ make: () -> @Sendable () -> Void) {
    guard pressureCheck.withLock({ $0 == nil }) else { return }
    let new = make()
    pressureCheck.withLock { if $0 == nil { $0 = new } }
  }

  /// Runs the memory pressure check, if there is one. Call this before taking memory, without a lock held.
  package func checkPressure() { pressureCheck.withLock { $0 }?() }

  // MARK: Counting

  /// Counts `bytes` as taken, or as released if negative. Exceeding the budget makes holders evict before the call
  /// returns, so the caller must not hold a lock that a holder needs.
  package func add(_ bytes: Int, to account: Account) {
    guard bytes != 0 else { return }
    count(bytes, account)
    // Sequentially consistent with the read of waiting bodies in `noteRelease`, so that a release is never missed.
    let total = sum.wrappingAdd(bytes, ordering: .sequentiallyConsistent).newValue
    guard bytes > 0 else { return noteRelease() }
    highest.max(total, ordering: .relaxed)
    if total > budget { evict(toFit: 0) }
  }

  /// Reserves `bytes` if they fit the budget, or always if `force` is true. Returns true if the bytes were
  /// reserved. Never evicts, so it may be called with a lock held.
  func reserve(_ bytes: Int, for account: Account, force: Bool) -> Bool {
    reserve(bytes, for: account, overdraft: force ? .max : 0)
  }

  /// Reserves `bytes` if the total then exceeds the budget by at most `overdraft`; `Int.max` always reserves. Returns
  /// true if the bytes were reserved. Never evicts, so it may be called with a lock held.
  func reserve(_ bytes: Int, for account: Account, overdraft: Int) -> Bool {
    let (allowed, isUnlimited) = budget.addingReportingOverflow(overdraft)
    var total = sum.load(ordering: .relaxed)
    while true {
      // The total is below 0 while another thread has counted a release before the corresponding reservation.
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

  /// Asks one holder after the other to evict until `bytes` more fit the budget.
  ///
  /// - Parameter spared: A holder that is not asked; `nil`, the default, for none.
  package func evict(toFit bytes: Int, sparing spared: (any MemoryHolder)? = nil) {
    guard budget != .max else { return }
    for (_, holder) in holders.withLock({ $0.living() }) where holder !== spared {
      let missing = sum.load(ordering: .relaxed) &+ bytes &- budget
      guard missing > 0 else { return }
      holder.release(bytes: missing)
    }
  }

  /// Asks the holders of an account to release memory, which they may do later.
  func askToRelease(_ bytes: Int, of account: Account) {
    for (other, holder) in holders.withLock({ $0.living() }) where other == account {
      holder.release(bytes: bytes)
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
  /// Compares instances by identity.
  public static func == (a: MemoryLedger, b: MemoryLedger) -> Bool { a === b }
  /// Hashes the identity of the instance.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
