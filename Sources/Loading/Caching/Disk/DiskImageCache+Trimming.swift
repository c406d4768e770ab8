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
      bytes += room
      stored += room
    }

    mutating func remove(_ room: Int) {
      entries = max(0, entries - 1)
      bytes = max(0, bytes - room)
    }
  }

  /// Looks through the folder and removes what exceeds the limits, the least recently used first; so does each answer
  /// that is stored, where it is due. Does nothing while another process does it. O(files).
  public func trim() { _ = trim(for: 0) }

  /// Looks through the folder, and says what it holds. O(files).
  public func measured() -> Statistics {
    _ = reading { (root) throws(Fault) in
      let entries = FolderSweep.entries(root, now: now)
      state.withLock {
        $0.usage = Usage(entries: entries.count, bytes: entries.reduce(0) { $0 + $1.bytes })
      }
    }
    return statistics
  }

  /// With room for so many bytes more; false while somebody else trims.
  func trim(for bytes: Int) -> Bool {
    let begins = state.withLock { state -> Bool in
      defer { state.isTrimming = true }
      return !state.isTrimming
    }
    guard begins else { return false }
    defer { state.withLock { $0.isTrimming = false } }
    return reading { (root) throws(Fault) in
      // Where locks are not to be had two may trim at once, which removes too much at worst.
      let isLocked = flock(root.number, LOCK_EX | LOCK_NB) == 0
      guard isLocked || errno != EWOULDBLOCK else { return false }
      // Unlocked when it is closed.
      trim(root, for: bytes)
      return true
    } ?? true
  }

  private func trim(_ root: borrowing Descriptor, for bytes: Int) {
    let now = now
    let (limits, uses, lastUse, stored) = state.withLock {
      ($0.limits, $0.uses, $0.lastUse, $0.usage?.stored ?? 0)
    }
    let entries = FolderSweep.entries(root, now: now)
    let free = root.freeBytes.map { $0 - bytes }
    let victims = DiskTrim(limits: limits, now: now, uses: uses).victims(of: entries, freeBytes: free)
    var removed = 0
    for victim in victims where FolderSweep.remove(victim.name, in: root) { removed += 1 }
    let gone = Set(victims.map(\.name))
    let left = entries.filter { !gone.contains($0.name) }
    let names = Set(left.map(\.name))
    state.withLock { state in
      state.statistics.evictions += removed
      // What was stored meanwhile may have been counted, or not: too much is looked through once more.
      let meanwhile = max(0, (state.usage?.stored ?? 0) - stored)
      state.usage = Usage(
        entries: left.count, bytes: left.reduce(0) { $0 + $1.bytes } + meanwhile, stored: meanwhile)
      state.uses = state.uses.filter { names.contains($0.key) || $0.value > lastUse }
    }
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
