import Synchronization
public import VitrineGraphics

extension MemoryImageCache {
  /// Images that a purge looks at before it lets others have the lock: some tens of microseconds.
  private static let purgedAtOnce = 128

  /// Removes images until `bytes` at most are left; first those that were used once, the least recently used
  /// before the others.
  public func purge(to bytes: Int) { purge(.pressure) { _ in .init(cost: max(0, bytes), sparing: 0) } }

  /// Removes everything (AF-C19): the system has told the application that memory is short.
  public func relieveMemoryPressure() { purge(to: 0) }

  /// Obeys the limits; `place` has just been filled, and goes last.
  func purgeIfNeeded(keeping place: Int? = nil) {
    guard let (due, reason) = state.withLock({ $0.dueWork(keeping: place) }) else { return }
    purge(reason) { _ in due }
  }

  /// Purges in parts, between which others may have the lock, and lets the images of each go outside of it.
  func purge(_ reason: EvictionReason, _ plan: (CachedImages) -> CachedImages.Purge) {
    var purge = state.withLock { plan($0.images) }
    var isDone = false
    while !isDone {
      release { state in
        var removed: [Image] = []
        isDone = state.images.purge(&purge, atMost: Self.purgedAtOnce, into: &removed)
        state.statistics.count(removed.count, reason)
        return removed
      }
    }
  }

  /// Changes what it holds. Images go, and the ledger hears of it, outside the lock: freeing megabytes takes time.
  /// Returns whether there were any.
  @discardableResult
  func release(_ change: (inout State) -> [Image]) -> Bool {
    var (images, bytes, ledger) = state.withLock { state in
      let before = state.images.cost
      return (change(&state), state.images.cost - before, state.ledger)
    }
    ledger?.add(bytes, to: .cache)
    let wasThere = !images.isEmpty
    Self.endCaching(&images)
    return wasThere
  }

  /// Lets images that were taken out count as shown if they are in use.
  static func endCaching(_ images: inout [Image]) {
    // An image without another owner is released here and need not be counted.
    for index in images.indices where !isKnownUniquelyReferenced(&images[index]) {
      images[index].endCaching()
    }
  }
}

extension MemoryImageCache: MemoryHolder {
  /// Counts what it holds against a ledger from now on, and gives way when that asks for room.
  public func count(against ledger: MemoryLedger) {
    let (old, cost) = state.withLock { state in
      defer { state.ledger = ledger }
      return (state.ledger, state.images.cost)
    }
    guard old !== ledger else { return }
    old?.add(-cost, to: .cache)
    ledger.register(self, as: .cache)
    ledger.add(cost, to: .cache)
  }

  /// Makes room for others: the least recently used go, those that are being shown last.
  public func release(bytes: Int) {
    purge(.pressure) { images in
      .init(cost: max(0, images.cost - max(0, bytes)), sparing: images.count)
    }
  }

  /// A warning leaves what a purge leaves; when it is critical only that stays which is being shown, as letting
  /// go of it would free nothing.
  public func relieve(_ pressure: MemoryPressure) {
    let preferred = preferredUsageAfterPurge
    purge(.pressure) { images in
      switch pressure {
      case .warning: .init(cost: min(preferred, images.cost), sparing: images.count)
      case .critical: .init(cost: 0, sparing: images.count, keepsShown: true)
      }
    }
  }
}
