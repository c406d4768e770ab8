public import FoundationEssentials
import Glibc
import Synchronization

/// Keeps answers in a folder, one file each.
///
/// Made for machines whose power is pulled: a file is written under another name and then renamed, says itself what it is,
/// and carries a checksum of all of it. What is torn or rotten is a miss, and gone. There is no index that could be
/// wrong, so several processes may share a folder, and start-up costs nothing.
///
/// Every call blocks while the disk works, and never waits for another one; make them from threads that may. No failure
/// leaves it: what cannot be read is a miss, and after what cannot be written, writing rests for a minute (`fault`).
public final class DiskImageCache: ImageDataCache {
  /// Seconds for which nothing is written after a failure that will not pass by itself.
  static let pause = 60.0
  /// Seconds between two notes on disk that an answer is used: a hit does not wear out flash.
  static let useInterval: Int64 = 3600

  struct State {
    var limits: Limits
    var statistics = Statistics()
    /// What the folder holds; nil until it was looked through.
    var usage: Usage?
    var isTrimming = false
    /// Counted, so that no clock is needed to know what was used last.
    var uses: [ContentHash: UInt64] = [:]
    var lastUse: UInt64 = 0
    var fault: Fault?
    /// Nanoseconds of the clock until which nothing is written.
    var restsUntil: Int64?
    /// The time until which responses that need additional space are not written, because the disk was full.
    var isFullUntil: Int64?
    var turn = TrimTurn()
    var hasRemovedOlderVersions = false
    /// The key of the folder, and the folder that it was read from.
    var secret: (place: Place, secret: CacheSecret)?

    /// The identity of a folder, independent of its path.
    struct Place: Hashable {
      let device: UInt64
      let file: UInt64
    }
  }

  let folder: CacheFolder
  let state: Mutex<State>
  let clock: any LoadingClock
  let wallClock: @Sendable () -> Double
  let hash: @Sendable ([UInt8]) -> ContentHash

  /// A cache in `directory`, which is made with its parents when something is first stored, and may be shared with
  /// other processes of this user. Does nothing else yet.
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

  /// The one in `defaultDirectory`, with the usual limits; nil where there is none.
  public static let shared: DiskImageCache? = defaultDirectory.map { DiskImageCache(directory: $0) }

  /// `$XDG_CACHE_HOME/vitrine`, or `$HOME/.cache/vitrine`; nil where neither is an absolute path, as for a service
  /// without a home.
  ///
  /// Set another directory before the first use of `shared` or `Application`; it applies to caches created later.
  /// Setting nil restores the default above (SDWebImage's `defaultDiskCacheDirectory`).
  public static var defaultDirectory: String? {
    get {
      chosenDirectory.withLock { $0 } ?? defaultDirectory { name in getenv(name).map { String(cString: $0) } }
    }
    set { chosenDirectory.withLock { $0 = newValue } }
  }

  private static let chosenDirectory = Mutex<String?>(nil)

  static func defaultDirectory(_ environment: (String) -> String?) -> String? {
    // What is not absolute is to be ignored (XDG Base Directory Specification).
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

  /// Where it keeps what it keeps.
  public var directory: String { folder.path }

  /// What it may hold. Changes count when something is stored next, or at once with `trim()`.
  public var limits: Limits {
    get { state.withLock { $0.limits } }
    set { state.withLock { $0.limits = newValue } }
  }

  /// What it has done so far, as far as is known without asking the disk.
  public var statistics: Statistics { state.withLock { $0.currentStatistics } }

  /// Why it does not keep what it is given; nil while it does.
  public var fault: Fault? { state.withLock { $0.fault } }

  // MARK: ImageDataCache

  /// Reads a file. O(bytes).
  public func answer(for identity: RequestIdentity) -> StoredAnswer? {
    answer(for: identity) { _ in
    }
  }

  /// Returns what `answer(for:)` returns, and calls `reserve` with the number of bytes of the body before it is read.
  public func answer(
    for identity: RequestIdentity, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredAnswer? {
    let answer = lookup(identity, withBody: true, reserving: reserve)
    state.withLock {
      if answer == nil { $0.statistics.misses += 1 } else { $0.statistics.hits += 1 }
    }
    return answer
  }

  /// Reads the head of a file, and counts as no use.
  public func containsAnswer(for identity: RequestIdentity) -> Bool {
    lookup(identity, withBody: false) != nil
  }

  /// Writes a response to a file and evicts others if a limit is exceeded. If the same body is stored already, only the
  /// new head is written. Of the headers of the response, only those that HTTP caching needs and those that describe the
  /// body are stored; other headers may hold a secret. Headers named by `Vary` are stored as digests.
  @discardableResult
  public func store(_ answer: StoredAnswer, for identity: RequestIdentity) -> Bool {
    let limits = limits
    guard Limits.room(answer.body.count) <= limits.bytes, limits.count > 0 else {
      return refuse(.tooLarge, identity)
    }
    guard !isResting else { return refuse(.full, identity) }
    do throws(Fault) {
      if let refusal = try write(answer, for: identity) { return refuse(refusal, identity) }
    } catch {
      failed(error)
      return false
    }
    if state.withLock({ $0.needsTrim }) { trim() }
    return true
  }

  private func refuse(_ refusal: Refusal, _ identity: RequestIdentity) -> Bool {
    // The stored response is older than the one that was refused.
    if case .tooLarge = refusal { removeAnswer(for: identity) }
    state.withLock { $0.statistics.refusals += 1 }
    return false
  }

  /// Removes a file.
  @discardableResult
  public func removeAnswer(for identity: RequestIdentity) -> Bool {
    reading { (root) throws(Fault) in
      guard let entry = try entry(of: identity, in: root),
        let shard = try folder.openShard(of: entry, in: root, creating: false),
        case .answer = AnswerReading.read(entry, in: shard, withBody: false, longestBody: .max)
      else { return false }
      return remove(entry.name, in: shard)
    } ?? false
  }

  /// Removes all files, those of other processes too.
  @discardableResult
  public func removeAllAnswers() -> Bool {
    let isAny = reading { (root) throws(Fault) in FolderSweep.removeAll(root) > 0 } ?? false
    state.withLock {
      $0.usage = nil
      $0.uses = [:]
    }
    return isAny
  }
}
