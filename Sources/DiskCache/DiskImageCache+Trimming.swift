import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

// The contents of the folder are counted by scanning the folder from time to time, because other processes write to it
// as well.

extension DiskImageCache {
  /// The contents of a folder, as far as this process knows.
  struct Usage {
    var entries: Int
    var bytes: Int
    /// The number of bytes that this process has stored since the last scan.
    var storedBytes = 0

    mutating func add(_ fileBytes: Int) {
      entries += 1
      bytes = bytes.addingSaturated(fileBytes)
      storedBytes = storedBytes.addingSaturated(fileBytes)
    }

    mutating func remove(_ fileBytes: Int) {
      entries = max(0, entries - 1)
      bytes = max(0, bytes - fileBytes)
    }
  }

  /// Scans the folder and removes what exceeds the limits, the least recently used responses first. A store does the
  /// same when necessary. Does nothing while another thread or process trims; the lock of another process is ignored
  /// after five seconds. O(files).
  public func trim() { _ = trim(for: .init()) }

  /// Scans the folder, and returns the statistics with the contents that were found. O(files).
  public func measured() -> Statistics {
    _ = reading { (root) throws(Fault) in
      let contents = FolderSweep.contents(of: root, now: now)
      state.withLock {
        $0.recordScan(contents.entries.count, contents.bytes, isComplete: contents.isComplete)
      }
    }
    return statistics
  }

  /// Trims to make room for a response that is to be stored. Returns true if there is room; nil while another thread or
  /// process trims.
  func trim(for growth: DiskTrim.Growth) -> Bool? {
    let mayBegin = state.withLock { state -> Bool in
      defer { state.isTrimming = true }
      return !state.isTrimming
    }
    guard mayBegin else { return nil }
    defer { state.withLock { $0.isTrimming = false } }
    let hasSpace = reading { (root) throws(Fault) -> Bool? in
      // Without locks, two processes may trim at the same time, which can only remove too much. The lock is released
      // when `root` is closed.
      let (lock, now) = (root.lock(), clock.now)
      guard state.withLock({ $0.trimSchedule.mayTrim(lock, at: now) }) else { return nil }
      return trim(root, for: growth)
    }
    return hasSpace ?? true
  }

  private func trim(_ root: borrowing Descriptor, for growth: DiskTrim.Growth) -> Bool {
    let now = now
    let (limits, uses, lastUse, storedBytes, isFirst) = state.withLock { state in
      defer { state.hasRemovedOlderVersions = true }
      return (
        state.limits, state.uses, state.lastUse, state.usage?.storedBytes ?? 0, !state.hasRemovedOlderVersions
      )
    }
    if isFirst { FolderSweep.removeOlderVersions(beside: root) }
    let contents = FolderSweep.contents(of: root, now: now)
    let outcome = DiskTrim(limits: limits, now: now, uses: uses).outcome(
      of: contents.entries, unfinished: contents.unfinishedBytes, space: root.space, growth: growth)
    var removed: Set<ContentHash> = []
    var hasRemovedAll = true
    for victim in outcome.victims {
      if FolderSweep.remove(victim.name, in: root) {
        removed.insert(victim.name)
      } else {
        hasRemovedAll = false
      }
    }
    let remaining = contents.entries.filter { !removed.contains($0.name) }
    let names = Set(remaining.map(\.name))
    state.withLock { state in
      state.statistics.evictions += removed.count
      // The scan may or may not have counted responses that were stored meanwhile. Adding them at worst causes another
      // scan.
      let storedMeanwhile = max(0, (state.usage?.storedBytes ?? 0) - storedBytes)
      let bytes = remaining.bytes(with: contents.unfinishedBytes.addingSaturated(storedMeanwhile))
      state.recordScan(
        remaining.count, bytes, storedBytes: storedMeanwhile,
        isComplete: contents.isComplete && hasRemovedAll)
      state.uses = state.uses.filter { names.contains($0.key) || $0.value > lastUse }
    }
    return outcome.hasSpace
  }
}

extension DiskImageCache.State {
  /// True if the folder has not been scanned yet, or if this process has stored more than a sixteenth of the byte limit
  /// since the last scan: other processes may have stored as much.
  private var isOutOfDate: Bool { usage.map { $0.storedBytes > limits.bytes / 16 } ?? true }

  /// True if the folder must be scanned after a store.
  var needsTrim: Bool {
    guard let usage else { return true }
    return isOutOfDate || usage.bytes > limits.bytes || usage.entries > limits.count
  }

  /// Records the result of a scan of the folder. If a part could not be read, a failure is recorded and the scan will
  /// be repeated.
  mutating func recordScan(_ entries: Int, _ bytes: Int, storedBytes: Int = 0, isComplete: Bool) {
    guard isComplete else {
      statistics.failures += 1
      return
    }
    usage = DiskImageCache.Usage(entries: entries, bytes: bytes, storedBytes: storedBytes)
  }

  mutating func use(_ name: ContentHash) {
    lastUse += 1
    uses[name] = lastUse
  }

  var currentStatistics: DiskImageCache.Statistics {
    var statistics = statistics
    statistics.entries = usage?.entries ?? 0
    statistics.bytes = usage?.bytes ?? 0
    return statistics
  }
}
