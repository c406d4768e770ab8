import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// Stores responses within the limits, and evicts others for them.
struct ResponseStore {
  enum Outcome {
    case stored
    /// The response exceeds a limit.
    case tooLarge
    /// Writing pauses after a failure, or the disk was full a short time ago.
    case paused
    case failed
  }

  /// The maximum number of attempts to store a response if the folder is removed during each attempt.
  private static let maximumAttempts = 8

  let context: CacheContext
  let trimmer: Trimmer

  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Outcome {
    let (limits, pause) = context.state.withLock { ($0.limits, $0.pause) }
    var outcome = Outcome.failed
    if FileStatus.allocatedBytes(for: response.body.count) > limits.bytes || limits.count <= 0 {
      outcome = .tooLarge
    } else if pause.isPaused(at: context.clock.now) {
      outcome = .paused
    } else {
      do throws(DiskImageCache.Fault) {
        outcome = try write(response, for: identity)
      } catch {
        context.writeFailed(error)
      }
    }
    switch outcome {
    case .stored:
      let now = context.clock.now
      if context.state.withLock({ $0.needsTrim(at: now) }) { trimmer.trim() }
    case .tooLarge, .paused: context.state.withLock { $0.refused() }
    case .failed: break
    }
    return outcome
  }

  /// Replaces the head of a stored response. Returns false if the response is missing or has another body.
  func update(_ head: StoredResponse, of body: BodyDigest, for identity: RequestIdentity) -> Bool {
    guard !context.state.withLock({ $0.pause.isPaused(at: context.clock.now) }) else { return false }
    do throws(DiskImageCache.Fault) {
      switch try updateOnce(head, of: body, for: identity) {
      case .updated:
        let now = context.clock.now
        if context.state.withLock({ $0.needsIdleCheck(at: now) }) { trimmer.trim() }
        return true
      case .missing: return false
      case .needsWrite(let response): return store(response, for: identity) == .stored
      }
    } catch {
      context.writeFailed(error)
      return false
    }
  }

  private enum Update {
    case updated
    case missing
    /// The file has too many notes and must be written again, with this response.
    case needsWrite(StoredResponse)
  }

  private func updateOnce(
    _ head: StoredResponse, of body: BodyDigest, for identity: RequestIdentity
  ) throws(DiskImageCache.Fault) -> Update {
    let (folder, limits) = (context.folder, context.limits)
    guard let root = try context.open(creating: false), let entry = try folder.entry(of: identity, in: root),
      let shard = try? folder.openShard(of: entry, in: root, creating: false)
    else { return .missing }
    let stored = ResponseReader.readTwiceIfDamaged(
      entry, in: shard, withBody: false, maximumBodyBytes: limits.maximumBodyBytes)
    // The table of heads may still have the head of a damaged file.
    if case .damaged = stored { context.remove(entry.name, in: shard, because: .damaged) }
    guard case .response(_, let details) = stored, BodyDigest(details.bodyHash) == body else {
      return .missing
    }
    let varying =
      head.varying.isEmpty ? [] : try folder.key(of: root, creating: true)?.digested(head.varying) ?? []
    guard
      let start = ResponseFile.start(
        head, bodyLength: details.bodyLength, bodyHash: details.bodyHash, key: entry.key,
        requestURL: identity.fullURL, varying: varying, listed: ListedURL.fields(of: identity))
    else { return .missing }
    if appendNote(start, bodyLength: details.bodyLength, entry, in: shard) { return .updated }
    guard
      case .response(let whole, let details) = ResponseReader.read(
        entry, in: shard, withBody: true, maximumBodyBytes: limits.maximumBodyBytes),
      BodyDigest(details.bodyHash) == body
    else { return .missing }
    var response = head
    response.body = whole.body
    return .needsWrite(response)
  }

  private func write(
    _ response: StoredResponse, for identity: RequestIdentity
  ) throws(DiskImageCache.Fault) -> Outcome {
    // Another thread or process may remove the folder during the call, even several times. It is created again.
    for _ in 1..<Self.maximumAttempts {
      do throws(DiskImageCache.Fault) {
        return try writeOnce(response, for: identity)
      } catch {
        guard error.isMissing else { throw error }
      }
    }
    do throws(DiskImageCache.Fault) {
      return try writeOnce(response, for: identity)
    } catch {
      // If the folder exists, others remove its parts again and again, which is no reason to pause.
      let isRemovedByOthers = error.isMissing && !context.isFolderMissing
      throw isRemovedByOthers ? .refused(path: context.folder.path, code: EAGAIN) : error
    }
  }

  private func writeOnce(
    _ response: StoredResponse, for identity: RequestIdentity
  ) throws(DiskImageCache.Fault) -> Outcome {
    let (folder, limits) = (context.folder, context.limits)
    // Opening with `creating` returns the folder or throws.
    guard let root = try context.open(creating: true),
      let entry = try folder.entry(of: identity, in: root, creating: true)
    else { throw .refused(path: folder.path, code: ENOENT) }
    let varying =
      response.varying.isEmpty
      ? [] : try folder.key(of: root, creating: true)?.digested(response.varying) ?? []
    guard
      let start = ResponseFile.start(
        response, key: entry.key, requestURL: identity.fullURL, varying: varying,
        listed: ListedURL.fields(of: identity)),
      FileStatus.allocatedBytes(for: start.count + response.body.count) <= limits.bytes,
      response.body.count <= limits.maximumBodyBytes
    else { return .tooLarge }
    // A link or a file in place of the subfolder is replaced below.
    if let shard = try? folder.openShard(of: entry, in: root, creating: false) {
      if appendNote(start, bodyLength: response.body.count, entry, in: shard) { return .stored }
      return try write(start, response.body, entry, in: shard, root)
    }
    guard let shard = try folder.openShard(of: entry, in: root, creating: true) else {
      throw .refused(path: folder.path, code: ENOENT)
    }
    return try write(start, response.body, entry, in: shard, root)
  }

  /// Writes a whole file if there is room.
  private func write(
    _ start: [UInt8], _ body: [UInt8], _ entry: DiskEntry, in shard: borrowing Descriptor,
    _ root: borrowing Descriptor
  ) throws(DiskImageCache.Fault) -> Outcome {
    let length = start.count + body.count
    guard try hasSpace(for: length, replacing: entry.name, in: shard, root) else { return .paused }
    do throws(SystemError) {
      let replaced = try ResponseWriter.write(start, body, entry.name, in: shard, time: context.time)
      let now = context.clock.now
      context.state.withLock { $0.stored(entry.name, length: length, replacing: replaced, at: now) }
      return .stored
    } catch {
      throw .refused(path: context.folder.path, code: error.code)
    }
  }

  /// Appends only the new head if the file has the body already. Returns false if the whole file must be written.
  private func appendNote(
    _ start: [UInt8], bodyLength: Int, _ entry: DiskEntry, in shard: borrowing Descriptor
  ) -> Bool {
    do throws(SystemError) {
      guard
        let (before, after) = try ResponseWriter.appendNote(
          start, bodyLength: bodyLength, entry, in: shard, time: context.time)
      else { return false }
      let now = context.clock.now
      context.state.withLock { $0.stored(entry.name, length: after, replacing: before, at: now) }
      return true
    } catch {
      // The whole file is written instead.
      return false
    }
  }

  /// Makes room for a response if the store would take free space that is left to other programs. Throws if there is no
  /// room, or while another thread or process trims.
  ///
  /// For a minute after there was no room, responses are decided on without a scan: a response that replaces one at
  /// least as large may be stored, and a response that needs as much space as was lacking may not.
  private func hasSpace(
    for length: Int, replacing name: ContentHash, in shard: borrowing Descriptor, _ root: borrowing Descriptor
  ) throws(DiskImageCache.Fault) -> Bool {
    guard let space = root.space else { return true }
    var growth = DiskTrim.Growth(bytes: FileStatus.allocatedBytes(for: length), files: 2)
    if let old = try? shard.status(of: name.hex) {
      growth = .init(bytes: growth.bytes - old.allocatedBytes, files: 0, replaces: name)
    }
    guard DiskFloor(limits: context.limits, space: space).missing(after: growth).isAny else {
      context.state.withLock { $0.foundSpace() }
      return true
    }
    let now = context.clock.now
    let isNew = growth.bytes > 0 || growth.files > 0
    let pause = context.state.withLock { $0.pause }
    if !isNew, pause.isFull(at: now) { return true }
    if pause.isFull(for: growth.bytes, at: now) { return false }
    let path = context.folder.path
    guard let hasSpace = trimmer.trim(for: growth) else { throw .refused(path: path, code: EAGAIN) }
    guard hasSpace else {
      context.state.withLock { $0.lackedSpace(for: growth.bytes, at: now) }
      throw .diskIsFull(path: path)
    }
    return true
  }
}
