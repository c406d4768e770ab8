import Glibc
import Synchronization

extension DiskImageCache {
  /// Seconds since 1970, within what a file system can note.
  var now: Int64 {
    let seconds = wallClock()
    return seconds >= 0 ? Int64(min(seconds, 0x1p33)) : 0
  }

  var isResting: Bool {
    let now = clock.now
    return state.withLock { $0.restsUntil.map { now < $0 } ?? false }
  }

  func failed(_ fault: Fault) {
    let now = clock.now
    state.withLock {
      $0.statistics.failures += 1
      guard !fault.isPassing else { return }
      $0.fault = fault
      $0.restsUntil = now.advanced(bySeconds: Self.pause)
    }
  }

  func write(_ start: [UInt8], _ body: [UInt8], _ name: ContentHash) throws(Fault) {
    if let (before, after) = try note(start, body, name) {
      stored(name, replaced: before, length: after)
      return
    }
    let length = start.count + body.count
    try makeRoom(for: length)
    // A folder that is removed at this moment is made anew, once.
    var replaced: Int?
    do throws(Fault) {
      replaced = try writeOnce(start, body, name)
    } catch {
      guard error.isGone else { throw error }
      replaced = try writeOnce(start, body, name)
    }
    stored(name, replaced: replaced, length: length)
  }

  private func stored(_ name: ContentHash, replaced: Int?, length: Int) {
    state.withLock {
      $0.statistics.stores += 1
      $0.fault = nil
      $0.restsUntil = nil
      $0.use(name)
      if let replaced { $0.usage?.remove(Limits.room(replaced)) }
      $0.usage?.add(Limits.room(length))
    }
  }

  /// Where the body is there already, only the head is written.
  private func note(
    _ start: [UInt8], _ body: [UInt8], _ name: ContentHash
  ) throws(Fault) -> (before: Int, after: Int)? {
    guard let root = try folder.open(creating: true),
      let shard = try folder.openShard(name, in: root, creating: false)
    else { return nil }
    do throws(SystemError) {
      return try AnswerWriting.note(start, body, name, in: shard, now: now)
    } catch {
      // Whole or not, the file is written anew.
      return nil
    }
  }

  private func writeOnce(_ start: [UInt8], _ body: [UInt8], _ name: ContentHash) throws(Fault) -> Int? {
    // Asked to be made, it is there or throws.
    guard let root = try folder.open(creating: true),
      let shard = try folder.openShard(name, in: root, creating: true)
    else { throw .refused(path: folder.path, code: ENOENT) }
    do throws(SystemError) {
      return try AnswerWriting.write(start, body, name, in: shard, now: now)
    } catch {
      throw .refused(path: folder.path, code: error.code)
    }
  }

  /// Leaves to others what is to be left to them.
  private func makeRoom(for bytes: Int) throws(Fault) {
    guard let root = try folder.open(creating: true), let free = root.freeBytes else { return }
    let floor = max(0, limits.freeBytes)
    guard free - bytes < floor else { return }
    guard trim(for: bytes) else { throw .refused(path: folder.path, code: EAGAIN) }
    if let free = root.freeBytes, free - bytes < floor { throw .diskIsFull(path: folder.path) }
  }
}
