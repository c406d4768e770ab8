import VitrineGraphics

/// The bytes of an arriving body, in storage that grows in few, large steps.
///
/// Unused new storage is address space without pages and is not counted. The storage of an earlier body has its pages and
/// counts as a whole while the body arrives. While the bytes move to larger storage, both copies are in memory, which
/// `memoryNeeded(for:)` includes.
struct BodyBuffer {
  private(set) var bytes: [UInt8] = []
  /// The length of the whole body in bytes, as declared by the server.
  private let expected: Int?
  /// The storage of earlier bodies.
  private let pool: BodyPool?
  /// True if the storage is that of an earlier body.
  private var isReused = false

  /// The maximum number of bytes allocated on the strength of the declared length alone.
  private static let trustedLength = 1 << 20
  /// The number of bytes of the first storage for a body of unknown length.
  private static let firstLength = 64 << 10
  /// The capacity in bytes from which pages are taken at once. The heap mostly has the pages of smaller storage already, and
  /// for these the system call takes half as long as the copy of the bytes.
  private static let largeCapacity = 1 << 20
  /// The smallest number of bytes for which pages are taken at once: what libcurl delivers in one call.
  private static let smallestPiece = 16 << 10

  /// - Parameters:
  ///   - beginning: The bytes of an earlier transfer.
  ///   - expected: The declared length of the whole body in bytes.
  ///   - pool: The storage of earlier bodies.
  init(_ beginning: [UInt8] = [], expected: Int? = nil, from pool: BodyPool? = nil) {
    bytes = beginning
    self.expected = expected
    self.pool = pool
  }

  var count: Int { bytes.count }

  /// The number of bytes in memory.
  var memoryUsed: Int { isReused ? bytes.capacity : bytes.count }

  /// Returns the total number of bytes to reserve before `count` more are appended.
  func memoryNeeded(for count: Int) -> Int {
    let total = Self.sum(bytes.count, count)
    guard total > bytes.capacity else { return max(total, memoryUsed) }
    let reused = pool?.capacityKept(for: capacity(for: total)) ?? 0
    return Self.sum(max(total, reused), memoryUsed)
  }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    if bytes.count + new.count > bytes.capacity { grow(to: capacity(for: bytes.count + new.count)) }
    takePages(for: new.count)
    bytes.append(contentsOf: new)
  }

  private mutating func grow(to capacity: Int) {
    guard var (storage, isReused) = pool?.take(capacity) else {
      isReused = false
      return bytes.reserveCapacity(capacity)
    }
    storage.append(contentsOf: bytes)
    bytes = storage
    self.isReused = isReused
  }

  /// Takes the pages for the next bytes from the system at once.
  private func takePages(for count: Int) {
    guard !isReused, bytes.capacity >= Self.largeCapacity, count >= Self.smallestPiece else { return }
    // Not `withUnsafeMutableBytes`: if a preview shares the bytes, it would move them to storage without unused capacity.
    bytes.withUnsafeBytes { received in
      guard let start = received.baseAddress else { return }
      let next = UnsafeMutableRawPointer(mutating: start) + received.count
      let first = next.alignedUp(toMultipleOf: SystemPages.size)
      let end = (next + count).alignedUp(toMultipleOf: SystemPages.size)
      if first < end { SystemPages.take(from: first, byteCount: end - first) }
    }
  }

  /// Removes and returns all bytes. They may be kept for long, and count without unused storage: if few bytes have arrived
  /// in the storage of an earlier body, they are copied, and the storage is left to the next body.
  mutating func take() -> [UInt8] {
    defer {
      bytes = []
      isReused = false
    }
    guard isReused, !BodyPool.fits(bytes.capacity, bytes.count) else { return bytes }
    pool?.give(bytes)
    return bytes.withUnsafeBufferPointer { Array($0) }
  }

  /// Returns the number of bytes of the next storage: four times the bytes received, but at most 48 MiB more. With a
  /// factor of four, all copies together are a third of the storage. The declared length is used as soon as it is
  /// small, or plausible given the bytes received.
  private func capacity(for count: Int) -> Int {
    if let expected, expected >= count, expected <= Self.trustedLength || expected / 16 <= bytes.count {
      return expected
    }
    let next = max(count, Self.firstLength, Self.sum(bytes.count, 3 * min(bytes.count, 16 << 20)))
    return expected.map { $0 >= count ? min($0, next) : next } ?? next
  }

  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, isTooLarge) = a.addingReportingOverflow(b)
    return isTooLarge ? .max : sum
  }
}
