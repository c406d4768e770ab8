import Synchronization
import VitrineConcurrency
import VitrineLoading

/// The folder, the clocks and the state of a cache, which reading, writing and trimming share.
final class CacheContext: Sendable {
  let folder: CacheFolder
  let state: Mutex<CacheState>
  let clock: any LoadingClock
  private let wallClock: @Sendable () -> Double

  init(
    folder: CacheFolder, limits: DiskImageCache.Limits, clock: any LoadingClock,
    wallClock: @escaping @Sendable () -> Double
  ) {
    self.folder = folder
    state = Mutex(CacheState(limits: limits))
    self.clock = clock
    self.wallClock = wallClock
  }

  var limits: DiskImageCache.Limits { state.withLock { $0.limits } }

  /// The wall-clock time in seconds since 1970, limited to what file systems can record.
  var now: Int64 {
    let seconds = wallClock()
    return seconds >= 0 ? Int64(min(seconds, 0x1p33)) : 0
  }

  /// Calls `body` with the folder. Returns nil if the folder does not exist or an error is thrown, which is recorded as
  /// a failure.
  func reading<Result>(
    _ body: (borrowing Descriptor) throws(DiskImageCache.Fault) -> Result
  ) -> Result? {
    do throws(DiskImageCache.Fault) {
      guard let root = try folder.open(creating: false) else { return nil }
      return try body(root)
    } catch {
      if state.withLock({ $0.readFailed(error) }) { report(error, "nothing is found") }
      return nil
    }
  }

  /// True if the folder does not exist.
  var isFolderMissing: Bool {
    do throws(DiskImageCache.Fault) {
      guard let root = try folder.open(creating: false) else { return true }
      _ = root.number
    } catch {
      // The folder may have contents that cannot be read now.
    }
    return false
  }

  /// Returns true if the folder is usable or does not exist yet. Otherwise records a fault of writing.
  func mayUseFolder() -> Bool {
    do throws(DiskImageCache.Fault) {
      if let root = try folder.open(creating: false) { _ = root.number }
      return true
    } catch {
      writeFailed(error)
      return false
    }
  }

  /// Records a fault of writing, and reports the fault if it is new.
  func writeFailed(_ fault: DiskImageCache.Fault) {
    let now = clock.now
    if state.withLock({ $0.writeFailed(fault, at: now) }) { report(fault, "nothing is kept") }
  }

  private func report(_ fault: DiskImageCache.Fault, _ consequence: String) {
    DiagnosticLog.report(DiagnosticMessage(subject: "disk cache", text: "\(consequence): \(fault)"))
  }

  /// Removes a file. Returns true if the file was removed.
  @discardableResult
  func remove(
    _ name: ContentHash, in shard: borrowing Descriptor, because reason: CacheState.Removal
  ) -> Bool {
    let status = try? shard.status(of: name.hex)
    do throws(SystemError) {
      try shard.remove(name.hex)
    } catch {
      return false
    }
    state.withLock { $0.removed(name, bytes: status?.allocatedBytes, because: reason) }
    return true
  }
}
