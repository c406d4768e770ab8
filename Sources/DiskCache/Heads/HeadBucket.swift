/// A bucket of the table of heads: about eight heads.
struct HeadBucket: Bucket {
  static let fileName = "heads"
  static let magic = Array("vithds01".utf8)

  let number: Int
  private(set) var entries: [HeadEntry]

  init(number: Int, entries: [HeadEntry]) {
    self.number = number
    self.entries = entries
  }

  static func parse(_ bytes: ArraySlice<UInt8>, count: Int) -> [HeadEntry]? {
    var reader = ByteReader(bytes)
    var entries: [HeadEntry] = []
    for _ in 0..<count {
      guard let entry = HeadEntry(&reader) else { return nil }
      entries.append(entry)
    }
    return entries
  }

  static func write(_ entry: HeadEntry, to writer: inout ByteWriter) { entry.write(to: &writer) }

  func entry(_ name: ContentHash) -> HeadEntry? { entries.last { $0.name == name } }

  /// Adds an entry, in place of that of the same file. Returns false if there is no room, and changes nothing.
  mutating func insert(_ new: HeadEntry) -> Bool {
    let others = entries.filter { $0.name != new.name }
    let length = others.reduce(Self.headerLength + new.length) { $0 + $1.length }
    guard length <= Self.length else { return false }
    entries = others + [new]
    return true
  }

  /// Removes the entry of a file. Returns true if there was one.
  mutating func remove(_ name: ContentHash) -> Bool {
    let count = entries.count
    entries.removeAll { $0.name == name }
    return entries.count < count
  }

  /// Distributes entries among `count` buckets. Leaves out entries for which a bucket has no room.
  static func distributing(_ entries: [HeadEntry], among count: Int) -> [HeadBucket] {
    Dictionary(grouping: entries) { $0.name.bucket(among: count) }.map { number, entries in
      var bucket = HeadBucket(number)
      for entry in entries { _ = bucket.insert(entry) }
      return bucket
    }
  }
}
