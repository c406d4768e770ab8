/// A lossy set of the hashes of purged images, with 4096 slots. A new hash overwrites an older one in the same slot.
struct PurgedMarks {
  private static let places = 4096
  private var hashes: [Int] = []

  func contains(_ hash: Int) -> Bool { !hashes.isEmpty && hashes[Self.place(hash)] == hash }

  mutating func insert(_ hash: Int) {
    if hashes.isEmpty { hashes = [Int](repeating: 0, count: Self.places) }
    hashes[Self.place(hash)] = hash
  }

  mutating func remove(_ hash: Int) {
    if contains(hash) { hashes[Self.place(hash)] = 0 }
  }

  private static func place(_ hash: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(places)) }
}
