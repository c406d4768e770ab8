import Synchronization
public import VitrineGraphics

extension MemoryImageCache {
  /// The number of images that a purge checks before other threads may take the lock. The check takes some tens of
  /// microseconds.
  private static let purgeBatchCount = 128

  /// Evicts images until at most `bytes` of pixels are left: first the images that no lookup has found since their
  /// insert, then the others, the least recently used first in each group. A negative number counts as 0. Images that
  /// are being shown are not spared.
  public func purge(to bytes: Int) { purge(.pressure) { _ in .init(cost: max(0, bytes), sparing: 0) } }

  /// Evicts all images. Call this when the system reports that memory is short.
  public func handleMemoryPressure() { purge(to: 0) }

  /// Evicts images under memory pressure. A warning leaves at most `preferredUsageAfterPurge`. Critical pressure evicts
  /// all images except those that are being shown, because evicting an image that a view holds frees no memory.
  public func handleMemoryPressure(_ pressure: MemoryPressure) {
    let preferred = preferredUsageAfterPurge
    purge(.pressure) { images in
      switch pressure {
      case .warning: .init(cost: min(preferred, images.cost), sparing: images.count)
      case .critical: .init(cost: 0, sparing: images.count, keepsShown: true)
      }
    }
  }

  /// Evicts images until the limits are met. The image at `index`, which has just been inserted, is evicted last.
  func purgeIfNeeded(keeping index: Int? = nil) {
    guard let (plan, reason) = state.withLock({ $0.neededPurge(keeping: index) }) else { return }
    purge(reason) { _ in plan }
  }

  /// Runs a purge in steps and releases the lock between the steps. Removed images are released outside the lock.
  func purge(_ reason: EvictionReason, _ plan: (CachedImages) -> CachedImages.Purge) {
    var purge = state.withLock { plan($0.images) }
    var isDone = false
    while !isDone {
      release { state in
        var removed: [Image] = []
        isDone = state.images.purge(&purge, atMost: Self.purgeBatchCount, into: &removed)
        state.statistics.count(removed.count, reason)
        return removed
      }
    }
  }

  /// Changes the state under the lock, and returns true if `change` has removed images. Removed images are released,
  /// and the ledger is updated, outside the lock, because freeing megabytes takes time.
  @discardableResult
  func release(_ change: (inout State) -> [Image]) -> Bool {
    var (images, bytes, ledger) = state.withLock { state in
      let before = state.images.cost
      return (change(&state), state.images.cost - before, state.ledger)
    }
    ledger?.add(bytes, to: .cache)
    let wasStored = !images.isEmpty
    Self.endCaching(&images)
    return wasStored
  }

  /// Ends the cache's accounting of removed images. An image that is still in use is then counted in the ledger's
  /// `shown` account.
  static func endCaching(_ images: inout [Image]) {
    // An image without another owner is released here and need not be counted.
    for index in images.indices where !isKnownUniquelyReferenced(&images[index]) {
      images[index].endCaching()
    }
  }
}

extension MemoryImageCache: MemoryHolder {
  /// Counts the pixels of the cache in a ledger from now on, instead of an earlier ledger, and evicts images when the
  /// ledger asks for memory.
  package func count(against ledger: MemoryLedger) {
    let (old, cost) = state.withLock { state in
      defer { state.ledger = ledger }
      return (state.ledger, state.images.cost)
    }
    guard old !== ledger else { return }
    old?.add(-cost, to: .cache)
    ledger.register(self, as: .cache)
    ledger.add(cost, to: .cache)
  }

  /// Evicts images with at least `bytes` of pixels, as far as the cache has as many, to make room for other memory.
  /// Evicts the least recently used images first, and images that are being shown last.
  package func release(bytes: Int) {
    purge(.pressure) { images in
      .init(cost: max(0, images.cost - max(0, bytes)), sparing: images.count)
    }
  }

  package func handlePressure(_ pressure: MemoryPressure) { handleMemoryPressure(pressure) }
}
