/// A lossy set of the hashes of purged images, with 4096 slots. A new hash overwrites an older one in the same slot.
struct PurgedMarks {
  private static let slotCount = 4096
  private var hashes: [Int] = []

  func contains(_ hash: Int) -> Bool { !hashes.isEmpty && hashes[Self.slotIndex(hash)] == hash }

  mutating func insert(_ hash: Int) {
    if hashes.isEmpty { hashes = [Int](repeating: 0, count: Self.slotCount) }
    hashes[Self.slotIndex(hash)] = hash
  }

  mutating func remove(_ hash: Int) { if contains(hash) { hashes[Self.slotIndex(hash)] = 0 } }

  private static func slotIndex(_ hash: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(slotCount)) }
}
