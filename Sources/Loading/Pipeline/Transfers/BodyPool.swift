import Synchronization
import VitrineConcurrency

/// Storage of bodies that have been decoded, for the next bodies. New memory takes a page fault for each page, and a block
/// that is freed leaves a hole in the heap, of which smaller blocks take parts.
final class BodyPool: Sendable {
  /// The lengths in bytes for which storage is kept.
  private static let lengths = 128 << 10...1 << 20
  /// The maximum capacity in bytes of all storage that is kept.
  private static let limit = 1280 << 10

  /// The oldest storage first, because the last bodies may still be in use.
  private let kept = Mutex<[[UInt8]]>([])

  /// The number of bytes of the storage that is kept.
  var byteCount: Int { kept.withLock { Self.byteCount($0) } }

  private static func byteCount(_ kept: [[UInt8]]) -> Int { kept.reduce(0) { $0 + $1.capacity } }

  /// Returns empty storage for at least `length` bytes. `nil` for a length for which none is kept.
  ///
  /// Storage that is not found, or whose body is still in use, is allocated. A capacity that is a power of two serves
  /// bodies of other lengths too.
  func take(_ length: Int) -> [UInt8]? {
    guard Self.lengths.contains(length) else { return nil }
    var storage = kept.withLock { kept in
      kept.firstIndex { $0.capacity >= length }.map { kept.remove(at: $0) } ?? []
    }
    storage.removeAll(keepingCapacity: true)
    if storage.capacity < length {
      storage.reserveCapacity(1 << (Int.bitWidth - (length - 1).leadingZeroBitCount))
    }
    return storage
  }

  /// Keeps the storage of a body. Older storage beyond the limit is released.
  func give(_ body: [UInt8]) {
    guard body.capacity >= Self.lengths.lowerBound else { return }
    kept.releaseAfterLock { kept in
      kept.append(body)
      var released: [[UInt8]] = []
      while Self.byteCount(kept) > Self.limit { released.append(kept.removeFirst()) }
      return released
    }
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
