import Synchronization
import VitrineConcurrency

/// Scans a cache folder, and removes what exceeds the limits.
final class Trimmer: Sendable {
  private let context: CacheContext
  private let schedule = Mutex(TrimSchedule())

  init(context: CacheContext) { self.context = context }

  /// Removes what exceeds the limits, and makes room for a response that is to be stored. Returns true if there is
  /// room; nil while another thread or process trims. O(files).
  ///
  /// - Parameter progress: Called after each response, with the number of responses that were removed or could not be
  ///   removed, and the number of those that exceed the limits.
  @discardableResult
  func trim(
    for growth: DiskTrim.Growth = .init(), progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) -> Bool? {
    guard !context.folder.isReadOnly else { return true }
    guard schedule.withLock({ $0.begin() }) else { return nil }
    defer { schedule.withLock { $0.end() } }
    let hasSpace = context.reading { (root) throws(DiskImageCache.Fault) -> Bool? in
      // Without locks, two processes may trim at the same time, which can only remove too much.
      let (lock, now) = (root.lock(), context.clock.now)
      defer { root.unlock() }
      guard schedule.withLock({ $0.mayTrim(lock, at: now) }) else { return nil }
      return trim(root, for: growth, progress)
    }
    return hasSpace ?? true
  }

  private func trim(
    _ root: borrowing Descriptor, for growth: DiskTrim.Growth, _ progress: (Int, Int) -> Void
  ) -> Bool {
    let time = context.time
    if schedule.withLock({ $0.isFirst() }) { FolderSweep.removeOlderVersions(beside: root) }
    let (limits, before) = context.state.withLock { ($0.limits, $0.usage) }
    var contents = FolderSweep.contents(of: root, time: time)
    let now = context.clock.now
    let outcome = DiskTrim(limits: limits, time: time, uses: before.uses, now: now).outcome(
      of: contents.entries, unfinished: contents.unfinishedBytes,
      space: space(of: root, limits, for: growth, time: time), growth: growth)
    var (gone, evicted) = (Set<ContentHash>(), [ContentHash]())
    for (index, victim) in outcome.victims.enumerated() {
      defer { progress(index + 1, outcome.victims.count) }
      switch FolderSweep.remove(victim.name, in: root) {
      case .removed:
        gone.insert(victim.name)
        evicted.append(victim.name)
      case .missing: gone.insert(victim.name)
      case .failed: contents.isComplete = false
      }
    }
    contents.entries.removeAll { gone.contains($0.name) }
    context.removeDerived(of: evicted)
    context.state.withLock {
      $0.scanned(contents, evictions: evicted.count, evicted: gone, since: before, trimmedAt: now)
    }
    return outcome.hasSpace
  }

  /// Returns the space of the file system, after pixels have made room if there is too little.
  private func space(
    of root: borrowing Descriptor, _ limits: DiskImageCache.Limits, for growth: DiskTrim.Growth, time: Int64
  ) -> DiskSpace? {
    guard let space = root.space else { return nil }
    let missing = DiskFloor(limits: limits, space: space).missing(after: growth)
    return PixelReclaim.free(missing, beside: root, time: time) ? root.space : space
  }

  /// Counts the contents of the folder. O(files).
  func measure() {
    _ = context.reading { (root) throws(DiskImageCache.Fault) in
      let before = context.state.withLock { $0.usage }
      let contents = FolderSweep.contents(
        of: root, time: context.time, isReadOnly: context.folder.isReadOnly)
      context.state.withLock { $0.scanned(contents, since: before) }
    }
  }
}
