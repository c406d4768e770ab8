import VitrineConcurrency

/// The stores that wait for the images of slots (see `SlotHold`), and those of them that are being written. Makes
/// decisions only. Times are in nanoseconds.
///
/// A first screen of 200 bodies of 250 KB takes 1.2 times as long if the bodies are written meanwhile, most of it for new
/// pages of the kernel's page cache.
///
/// The responses can be looked up until they are written. At most one store of each response waits.
struct HeldStores {
  /// The maximum number of bytes of bodies that are held with a large memory budget.
  static let largestBytesLimit = 64 << 20
  /// The number of seconds for which responses are written at once after another process was found to fetch the same
  /// image: that process waits for the files of this one.
  static let secondsForOtherProcess = 60.0

  /// Returns the maximum number of bytes of bodies that are held with a memory budget of `budget` bytes.
  static func bytesLimit(budget: Int) -> Int { min(largestBytesLimit, budget / 4) }

  /// A store that waits or is being written.
  struct Store {
    /// The number of the change; see `DiskWrites`.
    let number: UInt64
    let identity: RequestIdentity
    let response: HeldResponse
    let added: Int64
    /// Writes the response on the writer thread. Returns true if it was written.
    let write: @Sendable () -> Bool
  }

  private let bytesLimit: Int
  /// The stores that wait, by consecutive numbers in the order in which they were added.
  private var waiting: [UInt64: Store] = [:]
  private var begin: UInt64 = 0
  private var end: UInt64 = 0
  /// The place in `waiting` of each response that waits.
  private var places: [RequestIdentity: UInt64] = [:]
  /// The stores that have been taken and are not written yet, by the numbers of their changes.
  private var writing: [UInt64: Store] = [:]
  /// The last store of each response that waits or is being written.
  private var last: [RequestIdentity: Store] = [:]
  /// The number of bytes of the bodies that wait or are being written.
  private(set) var bytes = 0
  private var hold = SlotHold()
  /// The time until which stores do not wait.
  private var endOfSuspension = Int64.min
  private var nextWake = NextWake()

  /// - Parameter bytesLimit: The maximum number of bytes of bodies that are held.
  init(bytesLimit: Int = Self.largestBytesLimit) { self.bytesLimit = bytesLimit }

  /// The number of stores that wait.
  var waitingCount: Int { waiting.count }

  mutating func slotBegan() { hold.slotBegan() }

  mutating func slotsEnded(_ count: Int, at now: Int64) {
    hold.slotsEnded(count, waitingBytes: bytes, at: now)
  }

  /// Notes that another process is fetching an image that this process wants.
  mutating func noteOtherProcess(at now: Int64) {
    endOfSuspension = now.advanced(bySeconds: Self.secondsForOtherProcess)
  }

  /// Returns the response of a store that waits or is being written; `nil` if there is none.
  func response(for identity: RequestIdentity) -> HeldResponse? { last[identity]?.response }

  /// Returns true if a store with a body of `count` bytes waits for the images of slots. A waiting store of the same
  /// response is replaced.
  func holdsStore(of identity: RequestIdentity, bytes count: Int, at now: Int64) -> Bool {
    let replaced = places[identity].flatMap { waiting[$0]?.response.bodyLength } ?? 0
    return hold.isActive(at: now) && now >= endOfSuspension && count <= bytesLimit - (bytes - replaced)
  }

  /// Adds a store that waits. No other store of the response may be waiting.
  mutating func add(_ store: Store) {
    precondition(places[store.identity] == nil, "at most one waiting store of a response")
    waiting[end] = store
    places[store.identity] = end
    end += 1
    last[store.identity] = store
    bytes += store.response.bodyLength
  }

  // MARK: Writing

  /// Returns the stores to write now, the oldest first.
  mutating func takeDue(at now: Int64) -> [Store] {
    guard now >= endOfSuspension else { return takeAll() }
    return take { $0.end(ofWriteAddedAt: $1.added, at: now) == nil }
  }

  /// Returns all stores that wait, the oldest first.
  mutating func takeAll() -> [Store] { take { _, _ in true } }

  private mutating func take(while isDue: (SlotHold, Store) -> Bool) -> [Store] {
    var taken: [Store] = []
    skipTaken()
    while let first = waiting[begin], isDue(hold, first) {
      if let store = take(of: first.identity) { taken.append(store) }
      skipTaken()
    }
    return taken
  }

  /// Returns the store of a response that waits; `nil` if there is none.
  mutating func take(of identity: RequestIdentity) -> Store? {
    guard let store = removeWaiting(identity) else { return nil }
    writing[store.number] = store
    return store
  }

  /// Notes that a change has ended. Returns its store, which can no longer be looked up; `nil` for other changes.
  mutating func ended(_ number: UInt64) -> Store? {
    guard let store = writing.removeValue(forKey: number) else { return nil }
    forget(store)
    return store
  }

  // MARK: Dropping

  /// Returns the waiting store of a response, which is not to be written. The response can no longer be looked up.
  mutating func drop(_ identity: RequestIdentity) -> Store? {
    last[identity] = nil
    guard let store = removeWaiting(identity) else { return nil }
    forget(store)
    return store
  }

  /// True if a removal drops a store that waits.
  func waits(for removal: DiskWrites.Kind) -> Bool {
    switch removal {
    case .remove(let identity): places[identity] != nil
    case .removeAll: !places.isEmpty
    case .store, .pixels, .look, .scan: false
    }
  }

  /// Returns all waiting stores, which are not to be written. No response can be looked up any longer.
  mutating func dropAll() -> [Store] {
    last = [:]
    return Array(places.keys).compactMap { drop($0) }
  }

  private mutating func removeWaiting(_ identity: RequestIdentity) -> Store? {
    places.removeValue(forKey: identity).flatMap { waiting.removeValue(forKey: $0) }
  }

  private mutating func forget(_ store: Store) {
    bytes -= store.response.bodyLength
    if last[store.identity]?.number == store.number { last[store.identity] = nil }
  }

  private mutating func skipTaken() { while begin < end, waiting[begin] == nil { begin += 1 } }

  // MARK: Time

  /// Returns the time at which to call `woken`; `nil` if no store waits or a call is scheduled already.
  mutating func takeWake(at now: Int64) -> Int64? {
    skipTaken()
    guard let first = waiting[begin], let end = hold.end(ofWriteAddedAt: first.added, at: now) else {
      return nil
    }
    return nextWake.schedule(at: end) ? end : nil
  }

  mutating func woken(at time: Int64) { nextWake.take(at: time) }
}
