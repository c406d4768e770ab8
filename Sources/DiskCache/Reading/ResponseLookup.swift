import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// Finds stored responses.
struct ResponseLookup {
  let context: CacheContext

  /// Returns a stored response with its body; nil if there is none. A damaged or expired file is removed. Counts as a
  /// use.
  ///
  /// - Parameter reserve: Called with the number of bytes of the body before the body is read.
  func response(for identity: RequestIdentity, reserving reserve: (Int) -> Void) -> StoredResponse? {
    find(identity, withBody: true, countsAsUse: true, reserve)?.response
  }

  /// The use of the table of heads by a lookup that has to read the file of a response.
  enum HeadTableUse {
    /// The table stays as it is.
    case none
    /// The table is opened for later lookups, if it exists.
    case reading
    /// The table is opened, and gets the head, so that later lookups find it without opening the file.
    case writing
  }

  /// Returns a stored response without reading the body, and true if later lookups will not open the file either; nil if
  /// there is none. A damaged or expired file is removed.
  ///
  /// - Parameter countsAsUse: True to record a use.
  func head(
    for identity: RequestIdentity, countsAsUse: Bool, headTable use: HeadTableUse
  ) -> (head: StoredHead, isRecorded: Bool)? {
    switch recordedHead(for: identity, countsAsUse: countsAsUse) {
    case .found(let head): return (head, true)
    case .missing: return nil
    case .needsFolders: break
    }
    return find(identity, withBody: false, countsAsUse: countsAsUse, headTable: use) { _ in }
      .map { found in
        let (response, details) = (found.response, found.details)
        let head = StoredHead(
          response: response, bodyLength: details.bodyLength, body: BodyDigest(details.bodyHash))
        return (head, !found.lacksRecord)
      }
  }

  /// Looks for a head in the table of heads.
  private func recordedHead(for identity: RequestIdentity, countsAsUse: Bool) -> Direct<StoredHead> {
    directEntry(of: identity).flatMap { recordedHead(of: $0, countsAsUse: countsAsUse) }
  }

  private func recordedHead(of entry: DiskEntry, countsAsUse: Bool) -> Direct<StoredHead> {
    let folder = context.folder
    let status: FileStatus
    do throws(SystemError) {
      status = try folder.status(of: entry)
    } catch {
      return error.code == ENOENT ? .missing : .needsFolders
    }
    guard let known = context.heads.head(of: entry.name), status.isRegular, status.version == known.version,
      known.bodyLength <= context.limits.maximumBodyBytes,
      !context.limits.isTooOld(stored: status.stored, time: context.time),
      let read = ResponseFile.read(known.head, requestURL: entry.identity.fullURL),
      read.key == entry.key.bytes[...]
    else { return .needsFolders }
    var response = read.response
    if !response.varying.isEmpty {
      guard let key = folder.currentKey else { return .needsFolders }
      response.varyingKey = key
    }
    if countsAsUse { recordUse(of: entry, recorded: status.used) }
    return .found(
      StoredHead(response: response, bodyLength: known.bodyLength, body: BodyDigest(known.bodyHash)))
  }

  /// Puts the head of a response that was revalidated in the table of heads, if the table has an older one.
  func renewRecordedHead(of identity: RequestIdentity) {
    guard let entry = context.folder.knownEntry(of: identity), let known = context.heads.head(of: entry.name),
      HeadTable.mayRenew(known, at: context.time)
    else { return }
    _ = find(identity, withBody: false, countsAsUse: false, headTable: .writing) { _ in }
  }

  /// Returns a stored response whose body stays on disk; nil if there is none. Counts as a use.
  func body(for identity: RequestIdentity) -> StoredBody? {
    guard let head = find(identity, withBody: false, countsAsUse: true, { _ in }) else { return nil }
    let body = context.reading { (root) throws(DiskImageCache.Fault) -> OpenBody? in
      guard let entry = try context.folder.entry(of: identity, in: root),
        let shard = try context.folder.openShard(of: entry, in: root, creating: false)
      else { return nil }
      return ResponseReader.openBody(entry, in: shard, maximumBodyBytes: context.limits.maximumBodyBytes)
    }
    // Another process may have stored another body meanwhile.
    guard let body = body ?? nil, body.isIntact(head.details.bodyHash) else { return nil }
    return StoredBody(
      response: head.response, bytes: body.encoded, digest: BodyDigest(head.details.bodyHash))
  }

  private struct Found {
    let response: StoredResponse
    let details: ResponseReader.Details
    /// True if the head is to be written to the table of heads; known for `HeadTableUse.reading`.
    var lacksRecord = false
  }

  /// The result of a lookup that opens no folder.
  private enum Direct<Value> {
    case found(Value)
    case missing
    /// The folders have to be opened: they were not checked yet or have changed, or the file is damaged, too old or not
    /// readable.
    case needsFolders

    /// Continues the lookup with what was found.
    func flatMap<Other>(_ find: (Value) -> Direct<Other>) -> Direct<Other> {
      switch self {
      case .found(let value): find(value)
      case .missing: .missing
      case .needsFolders: .needsFolders
      }
    }
  }

  /// Returns the entry of a request if its file may be looked up by its whole path; `missing` if its subfolder does not
  /// exist.
  private func directEntry(of identity: RequestIdentity) -> Direct<DiskEntry> {
    let folder = context.folder
    // After a delayed removal, everything may still be on the disk.
    guard !folder.isReadOnly, context.state.withLock({ $0.delayedRemoval.number == nil }),
      let entry = folder.knownEntry(of: identity)
    else { return .needsFolders }
    return switch folder.pathState(of: entry) {
    case .checkedFolders: .found(entry)
    case .missingSubfolder: .missing
    case .unchecked: .needsFolders
    }
  }

  /// Reads a file by its whole path: a hit takes half as many system calls as one that opens the folders.
  private func findDirectly(
    _ identity: RequestIdentity, withBody: Bool, countsAsUse: Bool, _ reserve: (Int) -> Void
  ) -> Direct<Found> {
    directEntry(of: identity).flatMap { find($0, withBody: withBody, countsAsUse: countsAsUse, reserve) }
  }

  private func find(
    _ entry: DiskEntry, withBody: Bool, countsAsUse: Bool, _ reserve: (Int) -> Void
  ) -> Direct<Found> {
    let folder = context.folder
    let result = ResponseReader.read(
      entry, withBody: withBody, maximumBodyBytes: context.limits.maximumBodyBytes, reserving: reserve
    ) { () throws(SystemError) in try folder.openFile(of: entry) }
    switch result {
    case .response(var response, let details):
      // The owner is checked again in case the folder was replaced after it was checked.
      guard details.status.owner == geteuid(),
        !context.limits.isTooOld(stored: details.stored, time: context.time)
      else { return .needsFolders }
      if !response.varying.isEmpty {
        guard let key = folder.currentKey else { return .needsFolders }
        response.varyingKey = key
      }
      if countsAsUse { recordUse(of: entry, recorded: details.used) }
      return .found(Found(response: response, details: details))
    case .notFound: return .missing
    case .damaged, .failed: return .needsFolders
    }
  }

  private func find(
    _ identity: RequestIdentity, withBody: Bool, countsAsUse: Bool,
    headTable headTableUse: HeadTableUse = .none,
    _ reserve: (Int) -> Void
  ) -> Found? {
    if headTableUse == .none {
      switch findDirectly(identity, withBody: withBody, countsAsUse: countsAsUse, reserve) {
      case .found(let found): return found
      case .missing: return nil
      case .needsFolders: break
      }
    }
    let found = context.reading { (root) throws(DiskImageCache.Fault) -> Found? in
      let folder = context.folder
      guard let entry = try folder.entry(of: identity, in: root),
        let shard = try folder.openShard(of: entry, in: root, creating: false)
      else { return nil }
      let result = ResponseReader.readTwiceIfDamaged(
        entry, in: shard, withBody: withBody, maximumBodyBytes: context.limits.maximumBodyBytes,
        reserving: reserve)
      switch result {
      case .response(var response, let details):
        if let refusal = folder.refusal(of: details.status) { throw refusal }
        if context.limits.isTooOld(stored: details.stored, time: context.time) {
          context.remove(entry.name, in: shard, because: .expired)
          return nil
        }
        if countsAsUse { recordUse(of: entry, recorded: details.used) }
        if !response.varying.isEmpty { response.varyingKey = try folder.key(of: root) }
        var found = Found(response: response, details: details)
        if headTableUse != .none, let head = headEntry(of: entry, details) {
          if headTableUse == .writing {
            keep(head, of: entry, in: root)
          } else {
            found.lacksRecord = context.heads.lacks(
              head, in: root, byteLimit: context.limits.bytes, time: context.time)
          }
        }
        return found
      case .damaged:
        context.remove(entry.name, in: shard, because: .damaged)
        return nil
      case .notFound: return nil
      // A response of a seed that is private, or not yet open to all readers.
      case .failed(let error) where folder.access == .seed && error.code == EACCES: return nil
      case .failed(let error): throw .refused(path: folder.path, code: error.code)
      }
    }
    return found ?? nil
  }

  /// Records a use in the file, unless one was recorded a short time ago. The modification time records the store, the
  /// access time the use. A read-only file system cannot record uses.
  private func recordUse(of entry: DiskEntry, recorded: Int64) {
    guard !context.folder.isReadOnly else { return }
    let (time, now) = (context.time, context.clock.now)
    guard context.state.withLock({ $0.used(entry.name, recorded: recorded, time: time, at: now) }) else {
      return
    }
    try? context.folder.setTimes(FileTimes(used: time), of: entry)
  }

  /// Returns the entry of the table of heads; nil on a file system on which versions of a file cannot be told apart.
  private func headEntry(of entry: DiskEntry, _ details: ResponseReader.Details) -> HeadEntry? {
    details.status.version.map { version in
      HeadEntry(
        name: entry.name, version: version, bodyLength: details.bodyLength, bodyHash: details.bodyHash,
        head: details.head)
    }
  }

  /// Puts a head in the table of heads.
  private func keep(_ head: HeadEntry, of entry: DiskEntry, in root: borrowing Descriptor) {
    let isWritten = context.heads.record(head, in: root, byteLimit: context.limits.bytes, time: context.time)
    // The response may have been removed before its head was in the table.
    if isWritten, (try? context.folder.status(of: entry))?.version != head.version {
      context.heads.remove([entry.name])
    }
  }
}
