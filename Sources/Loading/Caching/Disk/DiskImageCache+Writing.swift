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
    let isNew = state.withLock { state in
      state.statistics.failures += 1
      guard !fault.isPassing else { return false }
      defer { state.fault = fault }
      let end = now.advanced(bySeconds: Self.pause)
      // On a full disk a response may still replace another one.
      if case .diskIsFull = fault { state.isFullUntil = end } else { state.restsUntil = end }
      return state.fault != fault
    }
    if isNew { report(fault, "nothing is kept") }
  }

  /// Reports a fault to the diagnostic log. Called once while the same fault persists.
  func report(_ fault: Fault, _ consequence: String) {
    DiagnosticLog.report(DiagnosticMessage(subject: "disk cache", text: "\(consequence): \(fault)"))
  }

  /// The reasons for not storing a response without a failure.
  enum Refusal {
    case tooLarge
    /// The disk was full a short time ago.
    case full
  }

  /// The attempts to store a response whose folder is removed each time.
  private static let maximumAttempts = 8

  /// Stores a response. Returns nil if it was stored, otherwise the reason for refusing it.
  func write(_ answer: StoredAnswer, for identity: RequestIdentity) throws(Fault) -> Refusal? {
    // Another thread or process may remove the folder during the call, even several times. It is created again.
    for _ in 1..<Self.maximumAttempts {
      do throws(Fault) {
        return try writeOnce(answer, for: identity)
      } catch {
        guard error.isGone else { throw error }
      }
    }
    return try writeOnce(answer, for: identity)
  }

  private func writeOnce(_ answer: StoredAnswer, for identity: RequestIdentity) throws(Fault) -> Refusal? {
    // Opening with `creating` returns the folder or throws.
    guard let root = try folder.open(creating: true),
      let entry = try entry(of: identity, in: root, creating: true)
    else { throw .refused(path: folder.path, code: ENOENT) }
    let varying =
      answer.varying.isEmpty ? [] : try secret(in: root, creating: true)?.digested(answer.varying) ?? []
    guard
      let start = AnswerFile.start(
        answer, key: entry.key, ownURL: identity.fullURL, varying: varying),
      Limits.room(start.count + answer.body.count) <= limits.bytes, answer.body.count <= longestBody
    else { return .tooLarge }
    if let (before, after) = try note(start, answer.body, entry, root) {
      stored(entry.name, replaced: before, length: after)
      return nil
    }
    guard let shard = try folder.openShard(of: entry, in: root, creating: true) else {
      throw .refused(path: folder.path, code: ENOENT)
    }
    let length = start.count + answer.body.count
    guard try hasRoom(for: length, replacing: entry.name, in: shard, root) else { return .full }
    do throws(SystemError) {
      let replaced = try AnswerWriting.write(start, answer.body, entry.name, in: shard, now: now)
      stored(entry.name, replaced: replaced, length: length)
      return nil
    } catch {
      throw .refused(path: folder.path, code: error.code)
    }
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
    _ start: [UInt8], _ body: [UInt8], _ entry: DiskEntry, _ root: borrowing Descriptor
  ) throws(Fault) -> (before: Int, after: Int)? {
    guard let shard = try folder.openShard(of: entry, in: root, creating: false) else { return nil }
    do throws(SystemError) {
      return try AnswerWriting.note(start, body, entry, in: shard, now: now)
    } catch {
      // Whole or not, the file is written anew.
      return nil
    }
  }

  /// Removes entries to keep the free space that other programs are entitled to. Returns false if this was tried a
  /// short time ago. Throws if there is no room.
  private func hasRoom(
    for length: Int, replacing name: ContentHash, in shard: borrowing Descriptor,
    _ root: borrowing Descriptor
  ) throws(Fault) -> Bool {
    guard let space = root.space else { return true }
    var growth = DiskTrim.Growth(bytes: Limits.room(length), files: 2)
    if let old = try? shard.status(of: name.hex) {
      growth = .init(bytes: growth.bytes - old.room, files: 0, replaces: name)
    }
    guard DiskFloor(limits: limits, space: space).missing(after: growth).isAny else {
      state.withLock { $0.isFullUntil = nil }
      return true
    }
    let now = clock.now
    let isNew = growth.bytes > 0 || growth.files > 0
    if isNew, state.withLock({ $0.isFullUntil.map { now < $0 } ?? false }) { return false }
    guard let hasRoom = trim(for: growth) else { throw .refused(path: folder.path, code: EAGAIN) }
    guard hasRoom else { throw .diskIsFull(path: folder.path) }
    return true
  }
}
