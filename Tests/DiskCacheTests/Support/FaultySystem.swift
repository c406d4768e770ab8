import Glibc
import Synchronization
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// The real system calls, one of which fails on request.
final class FaultySystem: DiskSystem {
  enum Call: String, CaseIterable {
    case open, close, duplicate, makeFolder, setMode, status, statusOfName, space, read, write, synchronize,
      setTimes,
      setTimesOfName, rename, link, remove, lock, unlock, names, readTwo, writeAt, truncate, punchHole,
      lockRange, unlockRange, lockedRange
  }

  enum Fault: CustomStringConvertible {
    case error(Int32)
    /// The call transfers half of the requested bytes.
    case short
    /// The call transfers no bytes.
    case empty
    /// The call blocks until the gate is open.
    case hang(Gate)

    var description: String {
      switch self {
      case .error(let code): String(cString: strerror(code))
      case .short: "short"
      case .empty: "empty"
      case .hang: "hang"
      }
    }

    /// Returns the faults to test for a call: all of them for its first occurrence, two errors for later ones.
    static func all(of call: Call, number: Int) -> [Fault] {
      let errors = number == 1 ? [EIO, ENOSPC, EROFS, EACCES, EMFILE, EINTR] : [EIO, EINTR]
      let transfers: [Call] = [.read, .readTwo, .write, .writeAt]
      return errors.map { .error($0) } + (transfers.contains(call) ? [.short, .empty] : [])
    }
  }

  private struct State {
    var plan: (call: Call, numbers: ClosedRange<Int>, fault: Fault)?
    var count = 0
    var isDone = false
    var open: Set<Int32> = []
    var counts: [Call: Int] = [:]
    var changeStatus: (@Sendable (inout stat) -> Void)?
    var separatesFolders = false
    var isFull = false
    var refused: [String: Int32] = [:]
    var redirection: (prefix: String, target: String)?
    var forksAfterLocking = false
  }

  private let state = Mutex(State())
  private let real = LinuxDiskSystem()

  /// The value of `number` that fails each call.
  static let always = 0

  /// Fails the `number`-th `call` from now on, counted from 1, once; with `always`, each call.
  func fail(_ call: Call, number: Int = 1, with fault: Fault) {
    fail(call, numbers: number == Self.always ? 1 ... .max : number...number, with: fault)
  }

  /// Fails the calls of these numbers, counted from 1.
  func fail(_ call: Call, numbers: ClosedRange<Int>, with fault: Fault) {
    state.withLock { ($0.plan, $0.count, $0.isDone) = ((call, numbers, fault), 0, false) }
  }

  /// Changes the status of each file and folder from now on.
  func changeStatus(_ change: @escaping @Sendable (inout stat) -> Void) {
    state.withLock { $0.changeStatus = change }
  }

  /// Refuses to move a file to another folder from now on, as if each folder were on a file system of its own.
  func separateFolders() { state.withLock { $0.separatesFolders = true } }

  /// Reports from now on that no space is free.
  func fillDisk() { state.withLock { $0.isFull = true } }

  /// Refuses to open a file of this name from now on.
  func refuse(_ name: String, with code: Int32) { state.withLock { $0.refused[name] = code } }

  /// Opens `target` in place of `prefix` at the beginning of names from now on.
  func redirect(_ prefix: String, to target: String) {
    state.withLock { $0.redirection = (prefix, target) }
  }

  /// Leaves a duplicate of each locked file open from now on, as a forked child process does.
  func forkAfterLocking() { state.withLock { $0.forksAfterLocking = true } }

  private func changed(_ status: stat) -> stat {
    var status = status
    state.withLock { $0.changeStatus }?(&status)
    return status
  }

  /// True once the planned fault has happened.
  var hasFailed: Bool { state.withLock { $0.isDone } }
  /// The calls that were made.
  var calls: Set<Call> { state.withLock { Set($0.counts.keys) } }
  /// The number of times that each call was made.
  var counts: [Call: Int] { state.withLock { $0.counts } }
  /// The number of open descriptors.
  var openCount: Int { state.withLock { $0.open.count } }

  private func fault(_ call: Call) throws(SystemError) -> Fault? {
    let fault = state.withLock { state -> Fault? in
      state.counts[call, default: 0] += 1
      guard let plan = state.plan, plan.call == call else { return nil }
      state.count += 1
      guard plan.numbers.contains(state.count) else { return nil }
      if state.count == plan.numbers.upperBound { state.plan = nil }
      state.isDone = true
      return plan.fault
    }
    switch fault {
    case .error(let code)?: throw SystemError(code)
    case .hang(let gate)?:
      gate.pass()
      return nil
    default: return fault
    }
  }

  func open(_ name: String, in folder: Int32, flags: Int32, mode: mode_t) throws(SystemError) -> Int32 {
    _ = try fault(.open)
    if let code = state.withLock({ $0.refused[name] }) { throw SystemError(code) }
    var name = name
    if let (prefix, target) = state.withLock({ $0.redirection }), name.hasPrefix(prefix) {
      name = target + name.dropFirst(prefix.count)
    }
    let number = try real.open(name, in: folder, flags: flags, mode: mode)
    state.withLock { _ = $0.open.insert(number) }
    return number
  }

  func close(_ descriptor: Int32) throws(SystemError) {
    // A failing close has closed the descriptor nevertheless.
    state.withLock { _ = $0.open.remove(descriptor) }
    defer { try? real.close(descriptor) }
    _ = try fault(.close)
  }

  func duplicate(_ descriptor: Int32) throws(SystemError) -> Int32 {
    _ = try fault(.duplicate)
    let number = try real.duplicate(descriptor)
    state.withLock { _ = $0.open.insert(number) }
    return number
  }

  func makeFolder(_ name: String, in folder: Int32) throws(SystemError) {
    _ = try fault(.makeFolder)
    try real.makeFolder(name, in: folder)
  }

  func setMode(_ mode: mode_t, of descriptor: Int32) throws(SystemError) {
    _ = try fault(.setMode)
    try real.setMode(mode, of: descriptor)
  }

  func status(of descriptor: Int32) throws(SystemError) -> stat {
    _ = try fault(.status)
    return changed(try real.status(of: descriptor))
  }

  func status(of name: String, in folder: Int32) throws(SystemError) -> stat {
    _ = try fault(.statusOfName)
    return changed(try real.status(of: name, in: folder))
  }

  func space(at descriptor: Int32) throws(SystemError) -> statvfs {
    _ = try fault(.space)
    var space = try real.space(at: descriptor)
    if state.withLock({ $0.isFull }) { (space.f_bfree, space.f_bavail) = (0, 0) }
    return space
  }

  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    switch try fault(.read) {
    case .short?:
      return try real.read(
        descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<((buffer.count + 1) / 2)]),
        at: offset)
    case .empty?: return 0
    default: return try real.read(descriptor, into: buffer, at: offset)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(SystemError) -> Int {
    switch try fault(.write) {
    case .short?:
      return try real.write(
        UnsafeRawBufferPointer(rebasing: bytes[..<((bytes.count + 1) / 2)]), to: descriptor)
    case .empty?: return 0
    default: return try real.write(bytes, to: descriptor)
    }
  }

  func read(
    _ descriptor: Int32, into first: UnsafeMutableRawBufferPointer,
    _ second: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    switch try fault(.readTwo) {
    case .short?:
      let half = (first.count + second.count + 1) / 2
      let rest = UnsafeMutableRawBufferPointer(rebasing: second[..<max(0, half - first.count)])
      return try real.read(
        descriptor, into: UnsafeMutableRawBufferPointer(rebasing: first[..<min(half, first.count)]), rest,
        at: offset)
    case .empty?: return 0
    default: return try real.read(descriptor, into: first, second, at: offset)
    }
  }

  func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int
  ) throws(SystemError) -> Int {
    switch try fault(.writeAt) {
    case .short?:
      let half = UnsafeRawBufferPointer(rebasing: bytes[..<((bytes.count + 1) / 2)])
      return try real.write(half, to: descriptor, at: offset)
    case .empty?: return 0
    default: return try real.write(bytes, to: descriptor, at: offset)
    }
  }

  func truncate(_ descriptor: Int32, to size: Int) throws(SystemError) {
    _ = try fault(.truncate)
    try real.truncate(descriptor, to: size)
  }

  func punchHole(_ range: Range<Int>, in descriptor: Int32) throws(SystemError) {
    _ = try fault(.punchHole)
    try real.punchHole(range, in: descriptor)
  }

  func synchronize(_ descriptor: Int32) throws(SystemError) {
    _ = try fault(.synchronize)
    try real.synchronize(descriptor)
  }

  func setTimes(_ times: FileTimes, of descriptor: Int32) throws(SystemError) {
    _ = try fault(.setTimes)
    try real.setTimes(times, of: descriptor)
  }

  func setTimes(_ times: FileTimes, of name: String, in folder: Int32) throws(SystemError) {
    _ = try fault(.setTimesOfName)
    try real.setTimes(times, of: name, in: folder)
  }

  func rename(
    _ name: String, in folder: Int32, to newName: String, in newFolder: Int32
  ) throws(SystemError) {
    _ = try fault(.rename)
    if folder != newFolder, state.withLock({ $0.separatesFolders }) { throw SystemError(EXDEV) }
    try real.rename(name, in: folder, to: newName, in: newFolder)
  }

  func link(
    _ name: String, in folder: Int32, to newName: String, in newFolder: Int32
  ) throws(SystemError) {
    _ = try fault(.link)
    try real.link(name, in: folder, to: newName, in: newFolder)
  }

  func remove(_ name: String, in folder: Int32, isFolder: Bool) throws(SystemError) {
    _ = try fault(.remove)
    try real.remove(name, in: folder, isFolder: isFolder)
  }

  func lock(_ descriptor: Int32) throws(SystemError) {
    _ = try fault(.lock)
    try real.lock(descriptor)
    if state.withLock({ $0.forksAfterLocking }) { _ = try duplicate(descriptor) }
  }

  func unlock(_ descriptor: Int32) throws(SystemError) {
    _ = try fault(.unlock)
    try real.unlock(descriptor)
  }

  func lock(_ descriptor: Int32, _ range: ByteRange) throws(SystemError) {
    _ = try fault(.lockRange)
    try real.lock(descriptor, range)
  }

  func unlock(_ descriptor: Int32, _ range: ByteRange) throws(SystemError) {
    _ = try fault(.unlockRange)
    try real.unlock(descriptor, range)
  }

  func lockedRange(_ descriptor: Int32, in range: ByteRange) throws(SystemError) -> ByteRange? {
    _ = try fault(.lockedRange)
    return try real.lockedRange(descriptor, in: range)
  }

  func forEachName(in folder: Int32, _ body: (String) -> Void) throws(SystemError) {
    _ = try fault(.names)
    try real.forEachName(in: folder, body)
  }
}
