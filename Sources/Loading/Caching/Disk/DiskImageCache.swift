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
  }

  let folder: CacheFolder
  let state: Mutex<State>
  let clock: any LoadingClock
  private let wallClock: @Sendable () -> Double
  private let hash: @Sendable ([UInt8]) -> ContentHash

  /// A cache in `directory`, which is made with its parents when something is first stored, and may be shared with
  /// other processes of this user. Does nothing else yet.
  ///
  /// - Parameters:
  ///   - directory: a path; a relative one is meant from the current folder of now. It holds a folder `v1`, which is
  ///     this user's alone, and may hold other things.
  ///   - limits: what it may hold.
  ///   - clock: by which writing rests after a failure.
  ///   - wallClock: seconds since 1970; it may jump.
  public convenience init(
    directory: String, limits: Limits = Limits(), clock: any LoadingClock = SystemLoadingClock(),
    wallClock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) {
    self.init(directory: directory, limits: limits, clock: clock, wallClock: wallClock) { ContentHash($0) }
  }

  /// With names of files made by `hash`.
  init(
    directory: String, limits: Limits, clock: any LoadingClock, wallClock: @escaping @Sendable () -> Double,
    hash: @escaping @Sendable ([UInt8]) -> ContentHash
  ) {
    folder = CacheFolder(path: Self.absolute(directory))
    state = Mutex(State(limits: limits))
    self.clock = clock
    self.wallClock = wallClock
    self.hash = hash
  }

  /// The one in `defaultDirectory`, with the usual limits; nil where there is none.
  public static let shared: DiskImageCache? = defaultDirectory.map { DiskImageCache(directory: $0) }

  /// `$XDG_CACHE_HOME/vitrine`, or `$HOME/.cache/vitrine`; nil where neither is an absolute path, as for a service
  /// without a home.
  public static var defaultDirectory: String? {
    defaultDirectory { name in getenv(name).map { String(cString: $0) } }
  }

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
    let answer = lookup(identity, withBody: true)
    state.withLock {
      if answer == nil { $0.statistics.misses += 1 } else { $0.statistics.hits += 1 }
    }
    return answer
  }

  /// Reads the head of a file, and counts as no use.
  public func containsAnswer(for identity: RequestIdentity) -> Bool {
    lookup(identity, withBody: false) != nil
  }

  /// Writes a file, and makes room where that exceeds a limit; where the same body is kept already, only what is new
  /// about it is written.
  @discardableResult
  public func store(_ answer: StoredAnswer, for identity: RequestIdentity) -> Bool {
    let key = DiskKey(identity)
    let name = hash(key.bytes)
    let limits = limits
    guard let start = AnswerFile.start(answer, key: key),
      Limits.room(start.count + answer.body.count) <= limits.bytes, limits.count > 0
    else {
      // What there was is older.
      removeAnswer(for: identity)
      state.withLock { $0.statistics.refusals += 1 }
      return false
    }
    guard !isResting else {
      state.withLock { $0.statistics.refusals += 1 }
      return false
    }
    do throws(Fault) {
      try write(start, answer.body, name)
    } catch {
      failed(error)
      return false
    }
    if state.withLock({ $0.needsTrim }) { _ = trim(for: 0) }
    return true
  }

  /// Removes a file.
  @discardableResult
  public func removeAnswer(for identity: RequestIdentity) -> Bool {
    let key = DiskKey(identity)
    let name = hash(key.bytes)
    return reading { (root) throws(Fault) in
      guard let shard = try folder.openShard(name, in: root, creating: false) else { return false }
      guard case .answer = AnswerReading.read(name, in: shard, key: key, withBody: false) else {
        return false
      }
      return remove(name, in: shard)
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

  // MARK: Reading

  private func lookup(_ identity: RequestIdentity, withBody: Bool) -> StoredAnswer? {
    let key = DiskKey(identity)
    let name = hash(key.bytes)
    let found = reading { (root) throws(Fault) -> StoredAnswer? in
      guard let shard = try folder.openShard(name, in: root, creating: false) else { return nil }
      switch AnswerReading.read(name, in: shard, key: key, withBody: withBody) {
      case .answer(let answer, let times):
        let now = now
        if limits.isTooOld(stored: times.stored, now: now) {
          if remove(name, in: shard) { state.withLock { $0.statistics.evictions += 1 } }
          return nil
        }
        if withBody { noteUse(of: name, in: shard, lastNoted: times.used, now: now) }
        return answer
      case .damaged:
        if remove(name, in: shard) { state.withLock { $0.statistics.damaged += 1 } }
        return nil
      case .nothing: return nil
      case .refused(let error): throw .refused(path: folder.path, code: error.code)
      }
    }
    return found ?? nil
  }

  /// Nil for a folder that is not there, or that cannot be read.
  func reading<Result>(_ body: (borrowing Descriptor) throws(Fault) -> Result) -> Result? {
    do throws(Fault) {
      guard let root = try folder.open(creating: false) else { return nil }
      return try body(root)
    } catch {
      state.withLock {
        $0.statistics.failures += 1
        if !error.isPassing { $0.fault = error }
      }
      return nil
    }
  }

  private func noteUse(of name: ContentHash, in shard: borrowing Descriptor, lastNoted: Int64, now: Int64) {
    state.withLock { $0.use(name) }
    guard abs(now.subtractingReportingOverflow(lastNoted).partialValue) >= Self.useInterval else { return }
    // Of the two times of a file one says when it was written, the other one when it was used; a disk that can only be
    // read keeps none.
    var times = [
      timespec(tv_sec: Int(now), tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: Int(Self.leavesTime)),
    ]
    utimensat(shard.number, name.hex, &times, AT_SYMLINK_NOFOLLOW)
  }

  /// `UTIME_OMIT`, a macro.
  private static let leavesTime = (1 << 30) - 2

  /// Whether there was a file.
  private func remove(_ name: ContentHash, in shard: borrowing Descriptor) -> Bool {
    var status = stat()
    let isKnown = fstatat(shard.number, name.hex, &status, AT_SYMLINK_NOFOLLOW) == 0
    guard unlinkat(shard.number, name.hex, 0) == 0 else { return false }
    state.withLock {
      $0.uses[name] = nil
      if isKnown { $0.usage?.remove(Limits.room(Int(status.st_size))) }
    }
    return true
  }

  // MARK: Writing

  /// Seconds since 1970, within what a file system can note.
  var now: Int64 {
    let seconds = wallClock()
    return seconds >= 0 ? Int64(min(seconds, 0x1p33)) : 0
  }

  private var isResting: Bool {
    let now = clock.now
    return state.withLock { $0.restsUntil.map { now < $0 } ?? false }
  }

  private func failed(_ fault: Fault) {
    let now = clock.now
    state.withLock {
      $0.statistics.failures += 1
      guard !fault.isPassing else { return }
      $0.fault = fault
      $0.restsUntil = now.advanced(bySeconds: Self.pause)
    }
  }

  private func write(_ start: [UInt8], _ body: [UInt8], _ name: ContentHash) throws(Fault) {
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
