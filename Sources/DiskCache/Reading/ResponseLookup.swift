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

  /// Returns a stored response without reading the body; nil if there is none. A damaged or expired file is removed.
  func head(for identity: RequestIdentity, countsAsUse: Bool) -> StoredHead? {
    find(identity, withBody: false, countsAsUse: countsAsUse) { _ in }.map { response, details in
      StoredHead(
        response: response, bodyLength: details.bodyLength, body: BodyDigest(details.bodyHash))
    }
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

  private func find(
    _ identity: RequestIdentity, withBody: Bool, countsAsUse: Bool, _ reserve: (Int) -> Void
  ) -> (response: StoredResponse, details: ResponseReader.Details)? {
    typealias Found = (response: StoredResponse, details: ResponseReader.Details)
    let found = context.reading { (root) throws(DiskImageCache.Fault) -> Found? in
      let folder = context.folder
      guard let entry = try folder.entry(of: identity, in: root),
        let shard = try folder.openShard(of: entry, in: root, creating: false)
      else { return nil }
      switch read(entry, in: shard, withBody: withBody, reserve) {
      case .response(var response, let details):
        if let refusal = folder.refusal(of: details.status) { throw refusal }
        let time = context.time
        if context.limits.isTooOld(stored: details.stored, time: time) {
          context.remove(entry.name, in: shard, because: .expired)
          return nil
        }
        if countsAsUse, !folder.isReadOnly {
          recordUse(of: entry.name, in: shard, recorded: details.used, time: time)
        }
        if !response.varying.isEmpty { response.varyingKey = try folder.key(of: root) }
        return (response, details)
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

  /// Reads a file, and reads a file that seems to be damaged a second time: a transient error of the disk or the memory
  /// must not remove the file.
  private func read(
    _ entry: DiskEntry, in shard: borrowing Descriptor, withBody: Bool, _ reserve: (Int) -> Void
  ) -> ResponseReader.Result {
    let maximum = context.limits.maximumBodyBytes
    let first = ResponseReader.read(
      entry, in: shard, withBody: withBody, maximumBodyBytes: maximum, reserving: reserve)
    guard case .damaged = first else { return first }
    return ResponseReader.read(
      entry, in: shard, withBody: withBody, maximumBodyBytes: maximum, reserving: reserve)
  }

  private func recordUse(
    of name: ContentHash, in shard: borrowing Descriptor, recorded: Int64, time: Int64
  ) {
    let now = context.clock.now
    guard context.state.withLock({ $0.used(name, recorded: recorded, time: time, at: now) }) else { return }
    // The modification time records the store, the access time the use. A read-only file system cannot record uses.
    try? shard.setTimes(FileTimes(used: time), of: name.hex)
  }
}
