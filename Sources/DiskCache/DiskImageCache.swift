public import FoundationEssentials
import Glibc
import Synchronization
public import VitrineConcurrency
public import VitrineLoading

/// A disk cache that stores each response in one file of a folder.
///
/// Made for machines that lose power without warning: a file is written under a temporary name and then renamed,
/// identifies itself, and has hashes of all its contents. A torn or damaged file is a cache miss and is removed. There
/// is no index that could be wrong, so several processes may share a folder, and start-up costs nothing.
///
/// Every method blocks while the disk works, and should be called on a thread that may block. Calls do not wait for
/// each other. No method throws: an unreadable file is a cache miss, and after a failed write, writing pauses for a
/// minute (`fault`).
public final class DiskImageCache: ImageDataCache {
  /// The number of seconds without writes after a failure that is unlikely to pass.
  static let pause = 60.0
  /// The minimum number of seconds between two updates of a file's access time, so that cache hits do not wear out
  /// flash memory.
  static let useInterval: Int64 = 3600

  struct State {
    var limits: Limits
    var statistics = Statistics()
    /// The contents of the folder; nil before the first scan.
    var usage: Usage?
    var isTrimming = false
    /// The sequence number of the last use of each file by this process. The numbers order the uses without a clock.
    var uses: [ContentHash: UInt64] = [:]
    var lastUse: UInt64 = 0
    var fault: Fault?
    /// The time of `clock` in nanoseconds until which nothing is written.
    var pausedUntil: Int64?
    /// The time of `clock` in nanoseconds until which responses that need additional space are not written, because the
    /// disk was full.
    var isFullUntil: Int64?
    var trimSchedule = TrimSchedule()
    var hasRemovedOlderVersions = false
    /// The key, and the folder from which the key was read.
    var secret: (folderID: FolderID, secret: DigestKey)?

    /// The identity of a folder, independent of the path.
    struct FolderID: Hashable {
      let device: UInt64
      let file: UInt64
    }
  }

  let folder: CacheFolder
  let state: Mutex<State>
  let clock: any LoadingClock
  let wallClock: @Sendable () -> Double
  let hash: @Sendable ([UInt8]) -> ContentHash

  /// Creates a cache in `directory`, without access to the disk. The directory and its parents are created when a
  /// response is first stored. Other processes of this user may share the directory.
  ///
  /// - Parameters:
  ///   - directory: A path. A relative path is resolved against the current folder at the time of this call. The
  ///     directory contains a folder `v2`, which only this user may access, and may contain other files.
  ///   - limits: The limits of the cache.
  ///   - clock: The clock for the pause of writes after a failure.
  ///   - wallClock: A clock that returns seconds since 1970. Its time may jump.
  public convenience init(
    directory: String, limits: Limits = Limits(), clock: any LoadingClock = SystemLoadingClock(),
    wallClock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) {
    self.init(directory: directory, limits: limits, clock: clock, wallClock: wallClock) { ContentHash($0) }
  }

  /// Creates a cache that uses `system` and makes file names with `hash`.
  init(
    directory: String, limits: Limits, clock: any LoadingClock, wallClock: @escaping @Sendable () -> Double,
    system: any DiskSystem = LinuxDiskSystem(), hash: @escaping @Sendable ([UInt8]) -> ContentHash
  ) {
    folder = CacheFolder(path: Self.absolute(directory), system: system)
    state = Mutex(State(limits: limits))
    self.clock = clock
    self.wallClock = wallClock
    self.hash = hash
  }

  /// The cache in `defaultDirectory` with the default limits; nil if there is no default directory.
  public static let shared: DiskImageCache? = defaultDirectory.map { DiskImageCache(directory: $0) }

  /// The directory of caches that are created without a directory: `$XDG_CACHE_HOME/vitrine`, otherwise
  /// `$HOME/.cache/vitrine`; nil if neither variable is an absolute path, as in a service without a home.
  ///
  /// Set another directory before the first use of `shared` or `Application`; the new directory applies to caches
  /// created later. Setting nil restores the default above (SDWebImage's `defaultDiskCacheDirectory`).
  public static var defaultDirectory: String? {
    get {
      chosenDirectory.withLock { $0 } ?? defaultDirectory { name in getenv(name).map { String(cString: $0) } }
    }
    set { chosenDirectory.withLock { $0 = newValue } }
  }

  private static let chosenDirectory = Mutex<String?>(nil)

  static func defaultDirectory(_ environment: (String) -> String?) -> String? {
    // Relative paths must be ignored (XDG Base Directory Specification).
    if let cache = environment("XDG_CACHE_HOME"), cache.hasPrefix("/") { return cache + "/vitrine" }
    if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.cache/vitrine" }
    return nil
  }

  private static func absolute(_ directory: String) -> String {
    guard !directory.isEmpty, !directory.hasPrefix("/"), let current = getcwd(nil, 0) else {
      return directory
    }
    defer { free(current) }
    return String(cString: current) + "/" + directory
  }

  /// The directory of the cache.
  public var directory: String { folder.path }

  /// The limits of the cache. A change takes effect at the next store, or at once with `trim()`.
  public var limits: Limits {
    get { state.withLock { $0.limits } }
    set { state.withLock { $0.limits = newValue } }
  }

  /// The counters and the known contents of the cache. Does not access the disk.
  public var statistics: Statistics { state.withLock { $0.currentStatistics } }

  /// The fault that last prevented reading or writing; nil if there was none, or a response has been stored since.
  /// Faults that pass on their own, such as a lack of descriptors, are left out.
  public var fault: Fault? { state.withLock { $0.fault } }

  // MARK: ImageDataCache

  /// Returns a stored response, complete and undamaged; nil if there is none. O(bytes).
  public func response(for identity: RequestIdentity) -> StoredResponse? {
    response(for: identity) { _ in
    }
  }

  /// Returns what `response(for:)` returns, and calls `reserve` with the number of bytes of the body before the body is
  /// read.
  public func response(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredResponse? {
    let response = lookup(identity, withBody: true, reserving: reserve)
    state.withLock {
      if response == nil { $0.statistics.misses += 1 } else { $0.statistics.hits += 1 }
    }
    return response
  }

  /// Returns true if there is a response. Does not read the body, and does not count as a use.
  public func containsResponse(for identity: RequestIdentity) -> Bool {
    lookup(identity, withBody: false) != nil
  }

  /// Writes a response to a file and evicts others if a limit is exceeded. Returns true if the response was stored. If
  /// the body is stored already, only the new head is written. Only headers that HTTP caching needs and headers that
  /// describe the body are stored, because other headers may hold a secret. Headers named by `Vary` are stored as
  /// digests.
  @discardableResult
  public func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    let limits = limits
    guard Limits.room(response.body.count) <= limits.bytes, limits.count > 0 else {
      return refuse(.tooLarge, identity)
    }
    guard !isPaused else { return refuse(.full, identity) }
    do throws(Fault) {
      if let refusal = try write(response, for: identity) { return refuse(refusal, identity) }
    } catch {
      recordFailure(error)
      return false
    }
    if state.withLock({ $0.needsTrim }) { trim() }
    return true
  }

  private func refuse(_ refusal: Refusal, _ identity: RequestIdentity) -> Bool {
    // The stored response is older than the one that was refused.
    if case .tooLarge = refusal { removeResponse(for: identity) }
    state.withLock { $0.statistics.refusals += 1 }
    return false
  }

  /// Removes a response. Returns true if there was one.
  @discardableResult
  public func removeResponse(for identity: RequestIdentity) -> Bool {
    reading { (root) throws(Fault) in
      guard let entry = try entry(of: identity, in: root),
        let shard = try folder.openShard(of: entry, in: root, creating: false),
        case .response = ResponseReader.read(entry, in: shard, withBody: false, maximumBodyBytes: .max)
      else { return false }
      return remove(entry.name, in: shard)
    } ?? false
  }

  /// Removes all files, including files of other processes. Returns true if there were any responses.
  @discardableResult
  public func removeAllResponses() -> Bool {
    let isAny = reading { (root) throws(Fault) in FolderSweep.removeAll(root) > 0 } ?? false
    state.withLock {
      $0.usage = nil
      $0.uses = [:]
    }
    return isAny
  }
}
