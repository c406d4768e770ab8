import Glibc
import Synchronization
import VitrineConcurrency
import VitrineLoading

/// The fetch locks that this process holds, as locks of byte ranges of the empty file `FOLDER/v3/locks`.
///
/// Each request has a range of its own, which follows from its file name, so that nothing of the request is written to
/// the disk. The system releases the locks of a process that ends or is killed. The number of locked bytes tells the
/// progress of the transfer, which waiting processes read without a write to the disk. The file is open while this
/// process holds a lock.
///
/// If another process removes the folder meanwhile, locks of the old file and of a new file do not exclude each other,
/// and a response may be fetched twice.
final class FetchLockTable: Sendable {
  /// The name of the file.
  static let fileName = "locks"
  /// The number of bytes of the range of a request. Ranges begin at multiples of this number.
  static let rangeLength: Int64 = 1 << 16
  /// The number of bytes by which a lock is extended when bytes have arrived. While a transfer waits for its server, it is
  /// extended by 1.
  static let receivedStep: Int64 = 64

  /// The open file, and the folder that contains the file.
  private final class LockFile: Sendable {
    let root: Descriptor
    let file: Descriptor

    init(_ root: consuming Descriptor, _ file: consuming Descriptor) {
      self.root = root
      self.file = file
    }
  }

  private struct Held {
    /// The number of tokens: requests of one process do not exclude each other.
    var tokens = 1
    var progress: Int64 = 0
  }

  private struct State {
    var file: LockFile?
    var held: [Int64: Held] = [:]
  }

  private let context: CacheContext
  private let state = Mutex(State())

  init(context: CacheContext) { self.context = context }

  // MARK: Locking

  /// Takes the lock of a request. Returns nil if the file system has no locks, or if nothing can be written.
  func acquire(_ identity: RequestIdentity) -> FetchLock? {
    let now = context.clock.now
    // A response that is not stored need not be waited for.
    guard !context.state.withLock({ $0.pause.isPaused(at: now) }), context.limits.bytes > 0 else {
      return nil
    }
    return state.withLock { state in
      guard let file = state.file ?? openFile(creating: true), let entry = entry(of: identity, file) else {
        return nil
      }
      let start = Self.start(of: entry)
      if state.held[start] == nil {
        switch file.file.lock(ByteRange(start: start, count: 1)) {
        case .unavailable: return nil
        case .heldByAnother:
          return .heldByAnother(progress(from: start, file) ?? FetchLockProgress(received: 0))
        case .acquired: state.held[start] = Held()
        }
      } else {
        state.held[start]?.tokens += 1
      }
      state.file = file
      return .acquired(
        FetchLockClaim(start, in: self), secondsSinceStore: secondsSinceStore(of: entry, file))
    }
  }

  /// Returns the progress of another process that holds the lock of a request; nil if there is none.
  func progress(of identity: RequestIdentity) -> FetchLockProgress? {
    state.withLock { state in
      guard let file = state.file ?? openFile(creating: false), let entry = entry(of: identity, file) else {
        return nil
      }
      return progress(from: Self.start(of: entry), file)
    }
  }

  /// Extends a lock, so that waiting processes see the progress of the transfer, but not beyond its range: after a
  /// thousand reports of bytes, the progress ends.
  ///
  /// - Parameter step: `receivedStep` for bytes that have arrived, or 1 while the transfer waits for its server.
  func noteProgress(_ step: Int64, from start: Int64) {
    state.withLock { state in
      guard let file = state.file, let held = state.held[start] else { return }
      let progress = min(held.progress + step, Self.rangeLength - 1)
      guard progress > held.progress else { return }
      state.held[start]?.progress = progress
      _ = file.file.lock(ByteRange(start: start, count: progress + 1))
    }
  }

  /// Releases a lock, if no other token of this process needs the lock.
  func release(from start: Int64) {
    state.withLock { state in
      guard let file = state.file, let held = state.held[start] else { return }
      guard held.tokens == 1 else {
        state.held[start]?.tokens -= 1
        return
      }
      state.held[start] = nil
      try? file.file.unlock(ByteRange(start: start, count: Self.rangeLength))
      // Closing the file would release the lock as well.
      if state.held.isEmpty { state.file = nil }
    }
  }

  // MARK: Files

  /// Opens the file of locks; nil if the system refuses this, or if there is no file and `creating` is false.
  private func openFile(creating: Bool) -> LockFile? {
    do throws(DiskImageCache.Fault) {
      guard let root = try context.open(creating: creating) else { return nil }
      let flags = O_RDWR | (creating ? O_CREAT : 0)
      guard let file = try? root.open(Self.fileName, flags: flags) else { return nil }
      return LockFile(root, file)
    } catch {
      // The fault is reported when a response is stored.
      return nil
    }
  }

  private func entry(of identity: RequestIdentity, _ file: LockFile) -> DiskEntry? {
    (try? context.folder.entry(of: identity, in: file.root, creating: true)) ?? nil
  }

  /// Returns the start of the range of a request. Two requests with equal ranges wait for each other in vain, which is
  /// as unlikely as two random numbers of 46 bits being equal.
  private static func start(of entry: DiskEntry) -> Int64 {
    Int64(truncatingIfNeeded: entry.name.high >> 2) & ~(rangeLength - 1)
  }

  private func progress(from start: Int64, _ file: LockFile) -> FetchLockProgress? {
    let range = ByteRange(start: start, count: Self.rangeLength)
    guard let locked = (try? file.file.lockedRange(in: range)) ?? nil else { return nil }
    let progress = max(0, locked.count - 1)
    return FetchLockProgress(
      received: UInt64(progress / Self.receivedStep), waiting: UInt64(progress % Self.receivedStep))
  }

  /// Returns the number of seconds since the response of an entry was stored; nil if there is no response. A time in
  /// the future counts as now.
  private func secondsSinceStore(of entry: DiskEntry, _ file: LockFile) -> Double? {
    guard let status = try? file.root.status(of: entry.shard + "/" + entry.name.hex) else { return nil }
    return Double(max(0, context.time.subtractingReportingOverflow(status.stored).partialValue))
  }
}
