/// The bytes of a body as they come, in storage that grows in few and large steps.
///
/// Storage beyond the bytes is address space that no page backs yet, and is not counted. While the bytes move to larger
/// storage they are in memory twice, which `memoryNeeded(for:)` includes.
struct BodyBuffer {
  private(set) var bytes: [UInt8] = []
  /// The length of the whole body as its server has declared it.
  private let expected: Int?

  /// No more than this is allocated because a server has declared it.
  private static let trustedLength = 1 << 20
  /// The first storage of a body of unknown length.
  private static let firstLength = 64 << 10

  /// - Parameters:
  ///   - beginning: what an earlier transfer has brought.
  ///   - expected: the length of the whole body as declared.
  init(_ beginning: [UInt8] = [], expected: Int? = nil) {
    bytes = beginning
    self.expected = expected
  }

  var count: Int { bytes.count }

  /// Bytes to have reserved before `count` more are appended; the sum of all, not what is missing.
  func memoryNeeded(for count: Int) -> Int {
    let total = Self.sum(bytes.count, count)
    return total > bytes.capacity ? Self.sum(total, bytes.count) : total
  }

  mutating func append(_ new: UnsafeRawBufferPointer) {
    if bytes.count + new.count > bytes.capacity {
      bytes.reserveCapacity(capacity(for: bytes.count + new.count))
    }
    bytes.append(contentsOf: new)
  }

  /// The bytes, which leave the buffer.
  mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Four times as much in each step, so that all copies together are a third of the storage; the declared length at once
  /// as soon as it is small, or has been made credible by what has come.
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
