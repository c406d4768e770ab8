import Synchronization
import VitrineConcurrency

/// Storage of bodies that have been decoded, for the next bodies. New memory takes a page fault for each page, and a block
/// that is freed leaves a hole in the heap, of which smaller blocks take parts.
final class BodyPool: Sendable {
  private struct State {
    /// The oldest storage first, because the last bodies may still be in use.
    var kept: [[UInt8]] = []
    /// The number of bodies that took storage, less those that were given back. Too large after bodies that were never
    /// decoded.
    var takenCount = 0

    var byteCount: Int { kept.reduce(0) { $0 + $1.capacity } }

    func firstIndex(for length: Int) -> Int? { kept.firstIndex { BodyPool.fits($0.capacity, length) } }
  }

  /// The lengths in bytes of bodies that use the pool.
  private static let lengths = 128 << 10...1 << 20
  /// The step in bytes to which capacities are rounded, so that bodies of similar lengths use each other's storage.
  private static let step = 32 << 10
  /// The maximum capacity in bytes of all storage that is kept.
  private static let limit = 1280 << 10

  private let state = Mutex(State())

  /// The number of bytes of the storage that is kept.
  var byteCount: Int { state.withLock { $0.byteCount } }

  /// True if storage has room for a body, and at most a quarter more.
  static func fits(_ capacity: Int, _ length: Int) -> Bool {
    capacity >= length && capacity - length <= length / 4
  }

  /// Returns the capacity of the storage that `take` would return now if it was used before; `nil` if it would be new.
  func capacityKept(for length: Int) -> Int? {
    guard Self.lengths.contains(length) else { return nil }
    return state.withLock { state in state.firstIndex(for: length).map { state.kept[$0].capacity } }
  }

  /// Returns empty storage for at least `length` bytes, and whether it was used before, with at most a quarter more bytes.
  /// `nil` for a length that does not use the pool.
  ///
  /// If no storage fits, or its body is still in use, new storage is allocated.
  func take(_ length: Int) -> (storage: [UInt8], isReused: Bool)? {
    guard Self.lengths.contains(length) else { return nil }
    var storage = state.withLock { state in
      state.takenCount += 1
      return state.firstIndex(for: length).map { state.kept.remove(at: $0) } ?? []
    }
    let address = Self.address(of: storage)
    storage.removeAll(keepingCapacity: true)
    guard storage.capacity < length else { return (storage, Self.address(of: storage) == address) }
    storage.reserveCapacity((length + Self.step - 1) / Self.step * Self.step)
    return (storage, false)
  }

  /// Keeps the storage of a body for another one, if more bodies took storage than were given back: bodies from a disk
  /// cache, for example, never take any. Older storage beyond the limit is released.
  func give(_ body: [UInt8]) {
    guard Self.lengths.lowerBound...Self.limit ~= body.capacity else { return }
    state.releaseAfterLock { state in
      var released: [[UInt8]] = []
      // A body may be decoded twice, at two sizes.
      let isKept = state.kept.contains { Self.address(of: $0) == Self.address(of: body) }
      guard state.takenCount > 0, !isKept else { return released }
      state.takenCount -= 1
      state.kept.append(body)
      while state.byteCount > Self.limit { released.append(state.kept.removeFirst()) }
      return released
    }
  }

  private static func address(of storage: [UInt8]) -> UnsafeRawPointer? {
    storage.withUnsafeBytes { $0.baseAddress }
  }
}

/// The pool of the bodies that arrive or wait to be decoded, which keep it alive. With the last of them, its storage is
/// released.
final class SharedBodyPool: Sendable {
  private struct Reference { weak var pool: BodyPool? }

  private let reference = Mutex(Reference())

  /// The pool, which is created if there is none.
  var current: BodyPool {
    reference.withLock { reference in
      if let pool = reference.pool { return pool }
      let pool = BodyPool()
      reference.pool = pool
      return pool
    }
  }
}
