public import FoundationEssentials
import Synchronization
public import VitrineConcurrency
public import VitrineLoading

/// A disk cache that stores each response in one file of a folder.
///
/// Made for machines that lose power without warning: a file is written under a temporary name and then renamed,
/// identifies itself, and has hashes of all its contents. A torn or damaged file is a cache miss and is removed. No
/// index has to be right, so several processes may share a folder, and start-up costs nothing. Processes that
/// share a folder fetch a response once, and a download that broke continues in a later run.
///
/// Every method blocks while the disk works, and should be called on a thread that may block. Calls do not wait for
/// each other. No method throws: an unreadable file is a cache miss, and after a failed write, writing pauses for a
/// minute (`fault`).
public final class DiskImageCache: ImageDataCache, StoredBodyReading, HeadRecords {
  let context: CacheContext
  private let lookup: ResponseLookup
  private let responses: ResponseStore
  let trimmer: Trimmer
  let fetchLocks: FetchLockTable
  let incompletes: IncompleteStore

  /// Creates a cache in `directory`, without access to the disk. The directory and its parents are created when a
  /// response is first stored. Other processes of this user may share the directory.
  ///
  /// - Parameters:
  ///   - directory: A path. A relative path is resolved against the current folder at the time of this call. The
  ///     directory contains a folder `v3`, which only this user may access, and may contain other files.
  ///   - limits: The limits of the cache.
  ///   - clock: The clock for the pause of writes after a failure; `nil`, the default, for the system's clock.
  ///   - wallClock: A clock that returns seconds since 1970. Its time may jump.
  public convenience init(
    directory: String, limits: Limits = Limits(), clock: (any LoadingClock)? = nil,
    wallClock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) {
    self.init(
      directory: directory, limits: limits, clock: clock ?? SystemLoadingClock(), wallClock: wallClock
    ) { ContentHash($0) }
  }

  /// Creates a cache that only reads `directory`: a seed, which another program or another user has filled, for example
  /// on a read-only root. Nothing in the directory changes, not even the times of files; stores, removals and trims do
  /// nothing.
  ///
  /// The directory, its folder `v3`, and the subfolder and the file of a response must belong to this user or to root,
  /// and no other user may be able to write to them; otherwise nothing is found there, and `fault` says why. A
  /// directory that does not exist is an empty cache. Use a seed as a lower layer of a `LayeredImageCache`.
  public convenience init(
    seed directory: String, wallClock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) {
    var limits = Limits()
    // A seed may have been filled under any limit.
    limits.bytes = .max
    self.init(
      directory: directory, access: .seed, limits: limits, clock: SystemLoadingClock(),
      wallClock: wallClock
    ) { ContentHash($0) }
  }

  /// Creates a cache for a tool that lists or checks `directory`, and changes nothing there, like a seed. Other users
  /// may be able to write to the directory, because nothing that is found is shown.
  package convenience init(inspecting directory: String) {
    var limits = Limits()
    limits.bytes = .max
    self.init(
      directory: directory, access: .inspection, limits: limits, clock: SystemLoadingClock(),
      wallClock: { Date().timeIntervalSince1970 }
    ) { ContentHash($0) }
  }

  /// Creates a cache for a tool that changes `directory`, which may be a seed that programs of other users read at the
  /// same time: folders that all users may read stay so. New files are private until `openToAllReaders`.
  package convenience init(keepingReadersOf directory: String, limits: Limits = Limits()) {
    self.init(
      directory: directory, access: .keepingReaders, limits: limits, clock: SystemLoadingClock(),
      wallClock: { Date().timeIntervalSince1970 }
    ) { ContentHash($0) }
  }

  /// Creates a cache that uses `system` and makes file names with `hash`.
  init(
    directory: String, access: FolderAccess = .owner, limits: Limits, clock: any LoadingClock,
    wallClock: @escaping @Sendable () -> Double, system: any DiskSystem = LinuxDiskSystem(),
    hash: @escaping @Sendable ([UInt8]) -> ContentHash
  ) {
    let folder = CacheFolder(
      path: CacheDirectory.absolute(directory), access: access, system: system, hash: hash)
    context = CacheContext(folder: folder, limits: limits, clock: clock, wallClock: wallClock)
    trimmer = Trimmer(context: context)
    lookup = ResponseLookup(context: context)
    responses = ResponseStore(context: context, trimmer: trimmer)
    fetchLocks = FetchLockTable(context: context)
    incompletes = IncompleteStore(context: context)
  }

  /// The directory of the cache.
  public var directory: String { context.folder.path }

  /// True if the cache only reads its directory; see `init(seed:wallClock:)`.
  public var isReadOnly: Bool { context.folder.isReadOnly }

  /// The limits of the cache. A change takes effect at the next store, that of `timeToIdle` at the next look for idle
  /// responses, or at once with `trim()`.
  public var limits: Limits {
    get { context.limits }
    set { context.state.withLock { $0.limits = newValue } }
  }

  /// The counters and the known contents of the cache. Does not access the disk.
  public var statistics: Statistics { context.state.withLock { $0.statistics } }

  /// The fault that last prevented reading or writing; nil if there was none, or a response has been stored since.
  /// Faults that pass on their own, such as a lack of descriptors, are left out.
  public var fault: Fault? { context.state.withLock { $0.pause.fault } }

  /// Scans the folder and removes what exceeds the limits, the least recently used responses first. A store or an
  /// update does the same when necessary. Does nothing while another thread or process trims; the lock of another
  /// process is ignored after five seconds in which at least three trims have found the lock held. O(files).
  public func trim() { trimmer.trim() }

  /// Does the same as `trim()`.
  ///
  /// - Parameter progress: Called after each response, with the number of responses that were removed or could not be
  ///   removed, and the number of those that exceed the limits.
  package func trim(progress: (_ done: Int, _ total: Int) -> Void) { trimmer.trim(progress: progress) }

  /// Scans the folder, and returns the statistics with the contents that were found. O(files).
  public func measured() -> Statistics {
    trimmer.measure()
    return statistics
  }

  // MARK: ImageDataCache

  /// Returns a stored response, complete and undamaged; nil if there is none. O(bytes).
  public func response(for identity: RequestIdentity) -> StoredResponse? { response(for: identity) { _ in } }

  /// Returns what `response(for:)` returns, and calls `reserve` with the number of bytes of the body before the body is
  /// read.
  public func response(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse? {
    let response = lookup.response(for: identity, reserving: reserve)
    context.state.withLock { $0.lookedUp(isHit: response != nil) }
    return response
  }

  /// Returns a stored response whose body has been verified and stays on disk. Counts as a use, but not as a hit or a
  /// miss.
  package func storedBody(for identity: RequestIdentity) -> StoredBody? { lookup.body(for: identity) }

  /// Returns true if there is a response. Does not read the body, and does not count as a use.
  public func containsResponse(for identity: RequestIdentity) -> Bool {
    lookup.head(for: identity, countsAsUse: false, headTable: .none) != nil
  }

  /// Returns a stored response without its body, which is neither read nor verified; nil if there is none. Counts as a
  /// use or as a miss, but not as a hit. Writes the head to the table of heads, if the table does not have it.
  public func head(for identity: RequestIdentity) -> StoredHead? {
    counted(lookup.head(for: identity, countsAsUse: true, headTable: .writing)?.head)
  }

  /// Returns what `head(for:)` returns, and writes nothing to the table of heads.
  package func readHead(for identity: RequestIdentity) -> (head: StoredHead, isRecorded: Bool)? {
    counted(lookup.head(for: identity, countsAsUse: true, headTable: .reading))
  }

  /// Writes the head of a stored response to the table of heads, if the table does not have it.
  package func recordHead(for identity: RequestIdentity) {
    _ = lookup.head(for: identity, countsAsUse: false, headTable: .writing)
  }

  /// Counts a miss.
  private func counted<Head>(_ head: Head?) -> Head? {
    if head == nil { context.state.withLock { $0.lookedUp(isHit: false) } }
    return head
  }

  /// True: after a miss of `head(for:)` there is no response.
  public var findsAllHeads: Bool { true }

  /// Returns the XXH3 hash of a body. O(bytes).
  public func digest(of body: [UInt8]) -> BodyDigest? { BodyDigest(ContentHash(body)) }

  /// Appends the new headers and times to the file of a stored response, or writes the file again after many updates.
  /// Trims the cache if it is time to look for idle responses; see `Limits.timeToIdle`. Returns false if the stored
  /// response is missing or has another body.
  @discardableResult
  public func update(_ response: StoredResponse, of body: BodyDigest, for identity: RequestIdentity) -> Bool {
    guard !isReadOnly, responses.update(response, of: body, for: identity) else { return false }
    lookup.renewRecordedHead(of: identity)
    return true
  }

  /// Writes a response to a file and evicts others if a limit is exceeded. Returns true if the response was stored. If
  /// the body is stored already, only the new head is written. Only headers that HTTP caching needs and headers that
  /// describe the body are stored, because other headers may hold a secret. Headers named by `Vary` are stored as
  /// digests.
  @discardableResult
  public func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    storing(response, for: identity) == .stored
  }

  /// Stores a response like `store(_:for:)`. Returns the outcome.
  func storing(_ response: StoredResponse, for identity: RequestIdentity) -> ResponseStore.Outcome {
    guard !isReadOnly else { return .failed }
    let outcome = responses.store(response, for: identity)
    // The stored response is older than the one that was refused.
    if outcome == .tooLarge { removeResponse(for: identity) }
    if outcome == .stored { incompletes.remove(identity) }
    return outcome
  }

  /// Removes a response, even if the file cannot be read. Returns true if there was one.
  @discardableResult
  public func removeResponse(for identity: RequestIdentity) -> Bool {
    guard !isReadOnly else { return false }
    incompletes.remove(identity)
    return context.reading { (root) throws(Fault) -> Bool in
      guard let entry = try context.folder.entry(of: identity, in: root),
        let shard = try context.folder.openShard(of: entry, in: root, creating: false)
      else { return false }
      switch ResponseReader.read(entry, in: shard, withBody: false, maximumBodyBytes: .max) {
      // Or the response of another request whose file name is equal.
      case .notFound:
        context.heads.remove([entry.name])
        return false
      // A file that cannot be read now may be readable later, and would then be shown although it was removed.
      case .response, .damaged, .failed: return context.remove(entry.name, in: shard, because: .requested)
      }
    } ?? false
  }

  /// Removes all files, including files of other processes. Returns true if any response was removed.
  ///
  /// If the folder cannot be read at the moment, for example because there are no descriptors, the files are removed
  /// before the next access. Until then nothing is found, for at most a minute if the removal fails again.
  @discardableResult
  public func removeAllResponses() -> Bool { context.removeAll() }

  /// Removes all files one by one, including files of other processes. Returns true if none of the files that existed
  /// at the start is left.
  ///
  /// - Parameter progress: Receives the number of files removed so far and the total. Called fewer than 200 times, the
  ///   last time when the removal has ended. The last call reports fewer files than the total if some cannot be
  ///   removed. Incomplete responses are not counted.
  @discardableResult
  public func removeAllResponses(progress: (_ removed: Int, _ total: Int) -> Void) -> Bool {
    guard !isReadOnly else {
      let count = measured().entries
      progress(0, count)
      return count == 0
    }
    let isComplete = context.reading { (root) throws(Fault) in
      FolderSweep.removeAll(root, time: context.time, progress: progress)
    }
    context.state.withLock { $0.removedAll() }
    guard let isComplete else {
      progress(0, 0)
      // A folder that does not exist is empty.
      return context.isFolderMissing
    }
    return isComplete
  }

  /// Returns the number of stored responses and their size on disk. Scans the folder: O(files).
  public func usage() -> ImageCache.DiskUsage? {
    let statistics = measured()
    return ImageCache.DiskUsage(count: statistics.entries, bytes: statistics.bytes)
  }

  /// Removes the responses that exceed the limits, as `trim()` does.
  public func removeExpiredResponses() { trim() }

  // MARK: Another directory

  /// Moves the responses of another directory to this cache, for an application that changes the location of the cache
  /// (SDWebImage's `moveCacheDirectoryFromPath:toPath:`). Returns the number of responses that were moved.
  ///
  /// Responses that this cache has already stay unchanged. The other directory is removed unless it contains other
  /// files, or responses that cannot be moved. Moves nothing if one of the directories belongs to another user. Blocks
  /// while the disk works.
  @discardableResult
  public func moveEntries(from directory: String) -> Int {
    guard !CacheDirectory.isSame(directory, self.directory), context.mayUseFolder() else { return 0 }
    let count = EntryMove(context: context, oldFolder: context.folder.sibling(at: directory)).run()
    context.state.withLock { $0.changedOutside() }
    return count
  }
}
