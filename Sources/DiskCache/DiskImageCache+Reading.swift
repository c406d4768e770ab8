import Glibc
import Synchronization
import VitrineLoading

extension DiskImageCache {
  /// Returns a stored response; nil if there is none. A damaged or expired file is removed. Counts as a use only if
  /// `withBody` is true.
  ///
  /// - Parameter reserve: Called with the number of bytes of the body before the body is read.
  func lookup(
    _ identity: RequestIdentity, withBody: Bool, reserving reserve: (Int) -> Void = { _ in }
  ) -> StoredResponse? {
    let found = reading { (root) throws(Fault) -> StoredResponse? in
      guard let entry = try entry(of: identity, in: root),
        let shard = try folder.openShard(of: entry, in: root, creating: false)
      else { return nil }
      switch read(entry, in: shard, withBody: withBody, reserve) {
      case .response(var response, let times):
        let now = now
        if limits.isTooOld(stored: times.stored, now: now) {
          if remove(entry.name, in: shard) { state.withLock { $0.statistics.evictions += 1 } }
          return nil
        }
        if withBody { recordUse(of: entry.name, in: shard, lastRecorded: times.used, now: now) }
        if !response.varying.isEmpty { response.varyingKey = try secret(in: root, creating: false) }
        return response
      case .damaged:
        if remove(entry.name, in: shard) { state.withLock { $0.statistics.damaged += 1 } }
        return nil
      case .notFound: return nil
      case .failed(let error): throw .refused(path: folder.path, code: error.code)
      }
    }
    return found ?? nil
  }

  /// Reads a file, and reads a file that seems to be damaged a second time: a transient error of the disk or the memory
  /// must not remove the file.
  private func read(
    _ entry: DiskEntry, in shard: borrowing Descriptor, withBody: Bool, _ reserve: (Int) -> Void
  ) -> ResponseReader.Result {
    let maximumBodyBytes = maximumBodyBytes
    let first = ResponseReader.read(
      entry, in: shard, withBody: withBody, maximumBodyBytes: maximumBodyBytes, reserving: reserve)
    guard case .damaged = first else { return first }
    return ResponseReader.read(
      entry, in: shard, withBody: withBody, maximumBodyBytes: maximumBodyBytes, reserving: reserve)
  }

  /// The number of bytes of the longest body that may be stored.
  var maximumBodyBytes: Int { min(max(0, limits.bytes), ResponseFile.maximumBodyBytes) }

  /// Calls `body` with the folder. Returns nil if the folder does not exist or an error is thrown, which is recorded as
  /// a failure.
  func reading<Result>(_ body: (borrowing Descriptor) throws(Fault) -> Result) -> Result? {
    do throws(Fault) {
      guard let root = try folder.open(creating: false) else { return nil }
      return try body(root)
    } catch {
      let isNew = state.withLock { state in
        state.statistics.failures += 1
        guard !error.isTransient else { return false }
        defer { state.fault = error }
        return state.fault != error
      }
      if isNew { report(error, "nothing is found") }
      return nil
    }
  }

  // MARK: Entries

  /// Returns the entry of a request; nil if its name depends on a secret and the folder has no key yet.
  func entry(
    of identity: RequestIdentity, in root: borrowing Descriptor, creating: Bool = false
  ) throws(Fault) -> DiskEntry? {
    var lacksSecret = false
    let key = try DiskKey(identity) { (bytes) throws(Fault) -> [UInt8] in
      if let secret = try secret(in: root, creating: creating) { return secret.digest(bytes) }
      lacksSecret = true
      return []
    }
    return lacksSecret ? nil : DiskEntry(identity: identity, key: key, name: hash(key.bytes))
  }

  /// Returns the key of the folder. The key is read once, and again if the folder was replaced.
  func secret(in root: borrowing Descriptor, creating: Bool) throws(Fault) -> DigestKey? {
    do throws(SystemError) {
      let status = try root.status
      let folderID = State.FolderID(device: status.device, file: status.number)
      if let cached = state.withLock({ $0.secret }), cached.folderID == folderID { return cached.secret }
      guard let secret = try FolderKey.read(in: root, creating: creating) else { return nil }
      state.withLock { $0.secret = (folderID, secret) }
      return secret
    } catch {
      throw .refused(path: folder.path, code: error.code)
    }
  }

  // MARK: Uses

  private func recordUse(
    of name: ContentHash, in shard: borrowing Descriptor, lastRecorded: Int64, now: Int64
  ) {
    state.withLock { $0.use(name) }
    let secondsSinceUse = now.subtractingReportingOverflow(lastRecorded).partialValue
    guard secondsSinceUse.magnitude >= Self.useInterval.magnitude else { return }
    // The modification time records the store, the access time the use. A read-only file system cannot record uses.
    try? shard.setTimes(FileTimes(used: now), of: name.hex)
  }

  /// Removes a file. Returns true if the file was removed.
  func remove(_ name: ContentHash, in shard: borrowing Descriptor) -> Bool {
    let status = try? shard.status(of: name.hex)
    do throws(SystemError) {
      try shard.remove(name.hex)
    } catch {
      return false
    }
    state.withLock {
      $0.uses[name] = nil
      if let status { $0.usage?.remove(status.room) }
    }
    return true
  }
}
