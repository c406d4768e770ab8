import VitrineConcurrency

/// The stores that wait until no slot is loading an image, but no longer than a second. Makes decisions only. Times are
/// in nanoseconds.
///
/// A first screen of 200 bodies of 250 KB takes 1.2 times as long if the bodies are written meanwhile, most of it for new
/// pages of the kernel's page cache.
struct HeldStores {
  /// The maximum number of bytes of bodies that are held with a large memory budget.
  static let largestBytesLimit = 64 << 20

  /// Returns the maximum number of bytes of bodies that are held with a memory budget of `budget` bytes.
  static func bytesLimit(budget: Int) -> Int { min(largestBytesLimit, budget / 4) }

  /// A store that waits.
  struct Store {
    /// The number of the change; see `DiskWrites`.
    let number: UInt64
    let identity: RequestIdentity
    let response: StoredResponse
    let added: Int64
    /// Writes the response on the writer thread. Returns true if it was written.
    let write: @Sendable () -> Bool
  }

  private let bytesLimit: Int
  /// The stores by consecutive numbers, in the order in which they were added.
  private var stores: [UInt64: Store] = [:]
  private var begin: UInt64 = 0
  private var end: UInt64 = 0
  /// The last store of each response.
  private var last: [RequestIdentity: Store] = [:]
  private var bytes = 0
  private var hold = SlotHold()
  private var nextWake = NextWake()

  /// - Parameter bytesLimit: The maximum number of bytes of bodies that are held.
  init(bytesLimit: Int = Self.largestBytesLimit) { self.bytesLimit = bytesLimit }

  var count: Int { stores.count }

  mutating func slotBegan() { hold.slotBegan() }

  mutating func slotsEnded(_ count: Int) { hold.slotsEnded(count) }

  /// Returns the held response of a request; `nil` if there is none.
  func response(for identity: RequestIdentity) -> StoredResponse? { last[identity]?.response }

  mutating func add(_ store: Store) {
    stores[end] = store
    end += 1
    last[store.identity] = store
    bytes += store.response.body.count
  }

  /// Returns the stores to write now, the oldest first.
  mutating func takeDue(at now: Int64) -> [Store] {
    take { $0.hold.end(ofWriteAddedAt: $1.added, at: now) == nil || $0.bytes > $0.bytesLimit }
  }

  /// Returns all stores, the oldest first.
  mutating func takeAll() -> [Store] { take { _, _ in true } }

  /// Returns the time at which to call `woken`; `nil` if no store waits or a call is scheduled already.
  mutating func takeWake(at now: Int64) -> Int64? {
    guard let first = stores[begin], let end = hold.end(ofWriteAddedAt: first.added, at: now) else {
      return nil
    }
    return nextWake.schedule(at: end) ? end : nil
  }

  mutating func woken(at time: Int64) { nextWake.take(at: time) }

  private mutating func take(while isDue: (borrowing Self, Store) -> Bool) -> [Store] {
    var taken: [Store] = []
    while let first = stores[begin], isDue(self, first) {
      stores[begin] = nil
      begin += 1
      if last[first.identity]?.number == first.number { last[first.identity] = nil }
      bytes -= first.response.body.count
      taken.append(first)
    }
    return taken
  }
}
