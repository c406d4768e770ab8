import Glibc
import Synchronization

extension DiskImageCache {
  func lookup(_ identity: RequestIdentity, withBody: Bool) -> StoredAnswer? {
    let key = DiskKey(identity)
    let name = hash(key.bytes)
    let found = reading { (root) throws(Fault) -> StoredAnswer? in
      guard let shard = try folder.openShard(name, in: root, creating: false) else { return nil }
      switch AnswerReading.read(name, in: shard, key: key, withBody: withBody) {
      case .answer(let answer, let times):
        let now = now
        if limits.isTooOld(stored: times.stored, now: now) {
          if remove(name, in: shard) { state.withLock { $0.statistics.evictions += 1 } }
          return nil
        }
        if withBody { noteUse(of: name, in: shard, lastNoted: times.used, now: now) }
        return answer
      case .damaged:
        if remove(name, in: shard) { state.withLock { $0.statistics.damaged += 1 } }
        return nil
      case .nothing: return nil
      case .refused(let error): throw .refused(path: folder.path, code: error.code)
      }
    }
    return found ?? nil
  }

  /// Nil for a folder that is not there, or that cannot be read.
  func reading<Result>(_ body: (borrowing Descriptor) throws(Fault) -> Result) -> Result? {
    do throws(Fault) {
      guard let root = try folder.open(creating: false) else { return nil }
      return try body(root)
    } catch {
      state.withLock {
        $0.statistics.failures += 1
        if !error.isPassing { $0.fault = error }
      }
      return nil
    }
  }

  private func noteUse(of name: ContentHash, in shard: borrowing Descriptor, lastNoted: Int64, now: Int64) {
    state.withLock { $0.use(name) }
    guard abs(now.subtractingReportingOverflow(lastNoted).partialValue) >= Self.useInterval else { return }
    // Of the two times of a file one says when it was written, the other one when it was used; a disk that can only be
    // read keeps none.
    var times = [
      timespec(tv_sec: Int(now), tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: Int(Self.leavesTime)),
    ]
    utimensat(shard.number, name.hex, &times, AT_SYMLINK_NOFOLLOW)
  }

  /// `UTIME_OMIT`, a macro.
  private static let leavesTime = (1 << 30) - 2

  /// Whether there was a file.
  func remove(_ name: ContentHash, in shard: borrowing Descriptor) -> Bool {
    var status = stat()
    let isKnown = fstatat(shard.number, name.hex, &status, AT_SYMLINK_NOFOLLOW) == 0
    guard unlinkat(shard.number, name.hex, 0) == 0 else { return false }
    state.withLock {
      $0.uses[name] = nil
      if isKnown { $0.usage?.remove(Limits.room(Int(status.st_size))) }
    }
    return true
  }
}
