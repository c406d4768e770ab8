import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// The folder, the clocks and the state of a pixel cache, which reading, writing and removing share.
final class PixelContext: Sendable {
  let folder: CacheFolder
  let state: Mutex<PixelState>
  let clock: any LoadingClock
  /// The pack that receives new pixels. The lock is held by one writer at a time, and never by a reader that would
  /// have to wait for it.
  let writing = Mutex<ActivePack?>(nil)
  private let wallClock: @Sendable () -> Double
  private let opened = Mutex<PixelFiles?>(nil)

  init(
    folder: CacheFolder, limits: DiskPixelCache.Limits, clock: any LoadingClock,
    wallClock: @escaping @Sendable () -> Double
  ) {
    self.folder = folder
    state = Mutex(PixelState(limits: limits))
    self.clock = clock
    self.wallClock = wallClock
  }

  var limits: DiskPixelCache.Limits { state.withLock { $0.limits } }

  /// The wall-clock time in seconds since 1970, limited to what file systems can record.
  var time: Int64 { FileTimes.time(wallClock()) }

  // MARK: Files

  /// Returns the open files; nil if there are none, and `creating` is false or the folder is only read. Opens the files
  /// again if they were removed.
  func files(creating: Bool) throws(DiskImageCache.Fault) -> PixelFiles? {
    try makeDelayedRemoval()
    if let known = opened.withLock({ $0 }) {
      if try system({ () throws(SystemError) in try known.index.isCurrent() }) { return known }
      opened.replaceValue(with: nil)
    }
    let isCreating = creating && !folder.isReadOnly
    guard let root = try folder.open(CacheFolder.pixelVersion, creating: isCreating) else { return nil }
    if isCreating { PixelSweep.removeLeftovers(in: root) }
    let files: PixelFiles?
    do throws(SystemError) {
      files = try PixelFolder.files(
        in: root, creatingFor: isCreating ? limits : nil, keepsReaders: folder.access == .keepingReaders)
    } catch {
      throw .refused(path: folder.path, code: error.code)
    }
    guard let files else { return nil }
    if folder.isReadOnly { try checkSeed(files) }
    // The programs that read a seed may have other disks.
    if folder.access == .owner { findMedium(of: root) }
    opened.replaceValue(with: files)
    return files
  }

  private func findMedium(of root: borrowing Descriptor) {
    guard let device = try? root.status.identity.device else { return }
    let medium = DiskMedium(of: device, system: root.system)
    state.withLock { $0.medium = medium }
  }

  /// Throws if another user can change the folder of packs or the index of a seed, as `CacheFolder` does for the
  /// folders above. Each pack is checked when it is read.
  private func checkSeed(_ files: PixelFiles) throws(DiskImageCache.Fault) {
    let all = try system { () throws(SystemError) in [try files.folder.status, try files.index.status] }
    for status in all {
      if let refusal = folder.refusal(of: status) { throw refusal }
    }
  }

  /// Returns the names of pixels on disk; nil if they depend on a secret and the folder has no key.
  func name(
    of identity: RequestIdentity, variant: String = "", family: String? = nil, in files: PixelFiles,
    creating: Bool = false
  ) throws(DiskImageCache.Fault) -> PixelName? {
    var lacksKey = false
    let key = try DiskKey(identity) { (bytes) throws(DiskImageCache.Fault) -> [UInt8] in
      if let key = try digestKey(in: files, creating: creating) { return key.digest(bytes) }
      lacksKey = true
      return []
    }
    return lacksKey ? nil : PixelName(key, variant: variant, family: family)
  }

  private func digestKey(
    in files: PixelFiles, creating: Bool
  ) throws(DiskImageCache.Fault) -> DigestKey? {
    if let known = files.key { return known }
    guard let responses = try folder.open(creating: creating) else { return nil }
    let key = try folder.key(of: responses, creating: creating)
    if let key { files.key = key }
    return key
  }

  /// Converts an error of the system to a fault of the cache.
  func system<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(DiskImageCache.Fault) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .refused(path: folder.path, code: error.code)
    }
  }

  // MARK: Faults

  /// Calls `body` and returns its result. Returns nil if an error is thrown, which is recorded as a failure.
  func reading<Result>(_ body: () throws(DiskImageCache.Fault) -> Result?) -> Result? {
    do throws(DiskImageCache.Fault) {
      return try body()
    } catch {
      readFailed(error)
      return nil
    }
  }

  /// Records a fault of reading, and reports the fault if it is new.
  func readFailed(_ fault: DiskImageCache.Fault) {
    if state.withLock({ $0.readFailed(fault) }) { report(fault, "no pixels are found") }
  }

  /// Records a fault of writing, and reports the fault if it is new.
  func writeFailed(_ fault: DiskImageCache.Fault) {
    let now = clock.now
    if state.withLock({ $0.writeFailed(fault, at: now) }) { report(fault, "no pixels are kept") }
  }

  private func report(_ fault: DiskImageCache.Fault, _ consequence: String) {
    DiagnosticLog.report(DiagnosticMessage(subject: "pixel cache", text: "\(consequence): \(fault)"))
  }

  // MARK: Removing everything

  /// Removes all pixels, or delays the removal if the folder cannot be read at the moment. Returns the fault that has
  /// prevented the removal. Does nothing in a folder that is only read.
  @discardableResult
  func removeAll() -> DiskImageCache.Fault? {
    guard !folder.isReadOnly else { return nil }
    writing.replaceValue(with: nil)
    opened.replaceValue(with: nil)
    defer { state.withLock { $0.removedAll() } }
    do throws(DiskImageCache.Fault) {
      try removeFolder()
      return nil
    } catch {
      readFailed(error)
      let now = clock.now
      if error.isTransient { state.withLock { $0.delayedRemoval.request(at: now) } }
      return error
    }
  }

  private func removeFolder() throws(DiskImageCache.Fault) {
    guard let root = try folder.open(CacheFolder.pixelVersion, creating: false) else { return }
    do throws(SystemError) {
      try PixelSweep.removeAll(root)
    } catch {
      throw .refused(path: folder.path, code: error.code)
    }
  }

  /// Makes a delayed removal. Throws if the folder still cannot be read, so that nothing is found, until the removal is
  /// given up.
  private func makeDelayedRemoval() throws(DiskImageCache.Fault) {
    guard let removal = state.withLock({ $0.delayedRemoval.number }) else { return }
    do throws(DiskImageCache.Fault) {
      try removeFolder()
      state.withLock { state in
        state.delayedRemoval.end(removal)
        state.removedAll()
      }
      return
    } catch {
      let now = clock.now
      guard state.withLock({ $0.delayedRemoval.fail(removal, at: now) }) else { throw error }
    }
    let text = "\(folder.path): pixels could not be removed"
    DiagnosticLog.report(DiagnosticMessage(subject: "pixel cache", text: text))
  }
}
