import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

extension DiskImageCache {
  /// The wall-clock time in seconds since 1970, limited to what file systems can record.
  var now: Int64 {
    let seconds = wallClock()
    return seconds >= 0 ? Int64(min(seconds, 0x1p33)) : 0
  }

  var isPaused: Bool {
    let now = clock.now
    return state.withLock { $0.pausedUntil.map { now < $0 } ?? false }
  }

  func recordFailure(_ fault: Fault) {
    let now = clock.now
    let isNew = state.withLock { state in
      state.statistics.failures += 1
      guard !fault.isTransient else { return false }
      defer { state.fault = fault }
      let end = now.advanced(bySeconds: Self.pause)
      // On a full disk a response may still replace another one.
      if case .diskIsFull = fault { state.isFullUntil = end } else { state.pausedUntil = end }
      return state.fault != fault
    }
    if isNew { report(fault, "nothing is kept") }
  }

  /// Reports a fault to the diagnostic log. Called once per fault, and not again while the fault persists.
  func report(_ fault: Fault, _ consequence: String) {
    DiagnosticLog.report(DiagnosticMessage(subject: "disk cache", text: "\(consequence): \(fault)"))
  }

  /// The reason why a response was not stored although no error has occurred.
  enum Refusal {
    case tooLarge
    /// The disk was full a short time ago.
    case full
  }

  /// The maximum number of attempts to store a response if the folder is removed during each attempt.
  private static let maximumAttempts = 8

  /// Stores a response. Returns nil if it was stored, otherwise the reason for refusing it.
  func write(_ response: StoredResponse, for identity: RequestIdentity) throws(Fault) -> Refusal? {
    // Another thread or process may remove the folder during the call, even several times. It is created again.
    for _ in 1..<Self.maximumAttempts {
      do throws(Fault) {
        return try writeOnce(response, for: identity)
      } catch {
        guard error.isMissing else { throw error }
      }
    }
    return try writeOnce(response, for: identity)
  }

  private func writeOnce(_ response: StoredResponse, for identity: RequestIdentity) throws(Fault) -> Refusal?
  {
    // Opening with `creating` returns the folder or throws.
    guard let root = try folder.open(creating: true),
      let entry = try entry(of: identity, in: root, creating: true)
    else { throw .refused(path: folder.path, code: ENOENT) }
    let varying =
      response.varying.isEmpty ? [] : try secret(in: root, creating: true)?.digested(response.varying) ?? []
    guard
      let start = ResponseFile.start(
        response, key: entry.key, requestURL: identity.fullURL, varying: varying),
      Limits.room(start.count + response.body.count) <= limits.bytes, response.body.count <= maximumBodyBytes
    else { return .tooLarge }
    if let (before, after) = try appendNote(start, response.body, entry, root) {
      stored(entry.name, replaced: before, length: after)
      return nil
    }
    guard let shard = try folder.openShard(of: entry, in: root, creating: true) else {
      throw .refused(path: folder.path, code: ENOENT)
    }
    let length = start.count + response.body.count
    guard try hasSpace(for: length, replacing: entry.name, in: shard, root) else { return .full }
    do throws(SystemError) {
      let replaced = try ResponseWriter.write(start, response.body, entry.name, in: shard, now: now)
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
      $0.pausedUntil = nil
      $0.use(name)
      if let replaced { $0.usage?.remove(Limits.room(replaced)) }
      $0.usage?.add(Limits.room(length))
    }
  }

  /// Appends only the new head if the file has the body already. Returns the lengths of the file before and after; nil
  /// if the whole file must be written.
  private func appendNote(
    _ start: [UInt8], _ body: [UInt8], _ entry: DiskEntry, _ root: borrowing Descriptor
  ) throws(Fault) -> (before: Int, after: Int)? {
    guard let shard = try folder.openShard(of: entry, in: root, creating: false) else { return nil }
    do throws(SystemError) {
      return try ResponseWriter.appendNote(start, body, entry, in: shard, now: now)
    } catch {
      // The whole file is written instead.
      return nil
    }
  }

  /// Makes room for a response if the store would take free space that is left to other programs. Returns false without
  /// a new scan if the disk was full a short time ago. Throws if there is no room, or while another thread or process
  /// trims.
  private func hasSpace(
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
    guard let hasSpace = trim(for: growth) else { throw .refused(path: folder.path, code: EAGAIN) }
    guard hasSpace else { throw .diskIsFull(path: folder.path) }
    return true
  }
}
