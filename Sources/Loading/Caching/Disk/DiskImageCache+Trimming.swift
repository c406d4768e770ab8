import Glibc
import Synchronization

// What the folder holds is counted by looking through it, now and then: other processes write there too.

extension DiskImageCache {
  /// What a folder holds, as far as this process knows.
  struct Usage {
    var entries: Int
    var bytes: Int
    /// Bytes that were stored since it was looked through.
    var stored = 0

    mutating func add(_ room: Int) {
      entries += 1
      bytes = bytes.addingSaturated(room)
      stored = stored.addingSaturated(room)
    }

    mutating func remove(_ room: Int) {
      entries = max(0, entries - 1)
      bytes = max(0, bytes - room)
    }
  }

  /// Looks through the folder and removes what exceeds the limits, the least recently used first; so does each answer
  /// that is stored, where it is due. Does nothing while another process trims, unless that takes longer than five
  /// seconds. O(files).
  public func trim() { _ = trim(for: .init()) }

  /// Looks through the folder, and says what it holds. O(files).
  public func measured() -> Statistics {
    _ = reading { (root) throws(Fault) in
      let contents = FolderSweep.contents(of: root, now: now)
      state.withLock { $0.found(contents.entries.count, contents.bytes, isComplete: contents.isComplete) }
    }
    return statistics
  }

  /// Trims with room for a response that is to be stored. Returns whether there is room; nil while another thread or
  /// process trims.
  func trim(for growth: DiskTrim.Growth) -> Bool? {
    let begins = state.withLock { state -> Bool in
      defer { state.isTrimming = true }
      return !state.isTrimming
    }
    guard begins else { return nil }
    defer { state.withLock { $0.isTrimming = false } }
    let hasRoom = reading { (root) throws(Fault) -> Bool? in
      // Without locks two processes may trim at the same time, which can only remove too much. Closing releases the
      // lock.
      let (lock, now) = (root.lock(), clock.now)
      guard state.withLock({ $0.turn.mayTrim(lock, at: now) }) else { return nil }
      return trim(root, for: growth)
    }
    return hasRoom ?? true
  }

  private func trim(_ root: borrowing Descriptor, for growth: DiskTrim.Growth) -> Bool {
    let now = now
    let (limits, uses, lastUse, stored, isFirst) = state.withLock { state in
      defer { state.hasRemovedOlderVersions = true }
      return (
        state.limits, state.uses, state.lastUse, state.usage?.stored ?? 0, !state.hasRemovedOlderVersions
      )
    }
    if isFirst { FolderSweep.removeOlderVersions(beside: root) }
    let contents = FolderSweep.contents(of: root, now: now)
    let outcome = DiskTrim(limits: limits, now: now, uses: uses).outcome(
      of: contents.entries, unfinished: contents.unfinishedBytes, space: root.space, growth: growth)
    var gone: Set<ContentHash> = []
    var isRemoved = true
    for victim in outcome.victims {
      if FolderSweep.remove(victim.name, in: root) { gone.insert(victim.name) } else { isRemoved = false }
    }
    let left = contents.entries.filter { !gone.contains($0.name) }
    let names = Set(left.map(\.name))
    state.withLock { state in
      state.statistics.evictions += gone.count
      // What was stored meanwhile may have been counted, or not: too much is looked through once more.
      let meanwhile = max(0, (state.usage?.stored ?? 0) - stored)
      let bytes = left.bytes(with: contents.unfinishedBytes.addingSaturated(meanwhile))
      state.found(
        left.count, bytes, stored: meanwhile,
        isComplete: contents.isComplete && isRemoved)
      state.uses = state.uses.filter { names.contains($0.key) || $0.value > lastUse }
    }
    return outcome.hasRoom
  }
}

extension DiskImageCache.State {
  /// Bytes are stored until others may have stored too much as well.
  private var isOutOfDate: Bool { usage.map { $0.stored > limits.bytes / 16 } ?? true }

  /// Whether the folder is to be looked through now that something was stored.
  var needsTrim: Bool {
    guard let usage else { return true }
    return isOutOfDate || usage.bytes > limits.bytes || usage.entries > limits.count
  }

  /// Records the result of a scan of the folder. If a part could not be read, a failure is recorded and the scan will
  /// be repeated.
  mutating func found(_ entries: Int, _ bytes: Int, stored: Int = 0, isComplete: Bool) {
    guard isComplete else {
      statistics.failures += 1
      return
    }
    usage = DiskImageCache.Usage(entries: entries, bytes: bytes, stored: stored)
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
