import Vitrine

/// Stores and reads 10,000 responses of 5, 30 and 300 KB and 10,000 squares of pixels, beside one plain file for each
/// and beside SQLite.
enum DiskComparison {
  /// A class of entries by their size.
  struct Class {
    let key, name: String
    let size: Int
    /// The numbers of the entries.
    let range: Range<Int>
  }

  static let classes = [
    Class(key: "5k", name: "5 KB", size: 5_000, range: 0..<8000),
    Class(key: "30k", name: "30 KB", size: 30_000, range: 8000..<9500),
    Class(key: "300k", name: "300 KB", size: 300_000, range: 9500..<10_000),
  ]
  private static let count = 10_000
  /// The number of rounds in which all entries are stored, with a warm-up. Reads have as many rounds as asked for.
  private static let fills = 3
  /// The number of reads of each class in a round.
  private static let reads = 500
  static let side = 64

  /// The times of an operation by store and class, in microseconds for each entry.
  typealias Times = [String: [Double]]

  static func measure(_ options: Options) throws -> [Figure] {
    _ = try SQLiteLibrary.load()
    return try ScratchFolder.use("disk") { folder in
      var times = Times()
      try measureResponses(in: folder, rounds: options.runs, &times)
      try ScratchFolder.empty(folder)
      try measurePixels(in: folder, rounds: options.runs, &times)
      return figures(times)
    }
  }

  private static func measureResponses(in folder: String, rounds: Int, _ times: inout Times) throws {
    for fill in 0...fills {
      try ScratchFolder.empty(folder)
      let stores: [(String, any EntryStore)] = [
        ("own", try ResponseEntries(folder: folder + "/own", count: count)),
        ("files", try PlainFiles(folder: folder + "/files")),
        ("sqlite", try SQLiteEntries(file: folder + "/entries.sqlite")),
      ]
      for kind in classes {
        for (name, store) in stores {
          let time = try put(kind, into: store)
          if fill > 0 { times["\(kind.key)_put_\(name)", default: []].append(time) }
        }
      }
      guard fill == fills else { continue }
      for round in 0...rounds {
        for kind in classes {
          let numbers = sample(kind.range, round)
          for (name, store) in stores {
            let time = try get(numbers, from: store, size: kind.size)
            if round > 0 { times["\(kind.key)_get_\(name)", default: []].append(time) }
          }
          guard round > 0, let own = stores[0].1 as? ResponseEntries else { continue }
          times["\(kind.key)_digest", default: []].append(digest(kind, of: own))
        }
      }
    }
  }

  private static func measurePixels(in folder: String, rounds: Int, _ times: inout Times) throws {
    let images = (0..<64).map { Image.noise($0, size: Size(width: Double(side), height: Double(side))) }
    let bytes = images[0].bitmap.withUnsafeBytes { Array($0) }
    let kind = Class(key: "pixels", name: "pixels", size: bytes.count, range: 0..<count)
    let stores: [(String, any EntryStore)] = [
      ("own", try PixelEntries(folder: folder + "/own", count: count, images: images)),
      ("files", try PlainFiles(folder: folder + "/files")),
      ("sqlite", try SQLiteEntries(file: folder + "/entries.sqlite")),
    ]
    // Pixels have checksums of the same kind as responses.
    let hasher = try ResponseEntries(folder: folder + "/none", count: 0)
    // Pixels that are stored again are replaced, so that one round is enough.
    for (name, store) in stores { times["pixels_put_\(name)"] = [try put(kind, into: store)] }
    for round in 0...rounds {
      let numbers = sample(kind.range, round)
      for (name, store) in stores {
        let time = try get(numbers, from: store, size: kind.size)
        if round > 0 { times["pixels_get_\(name)", default: []].append(time) }
      }
      if round > 0 { times["pixels_digest", default: []].append(digest(kind, of: hasher)) }
    }
  }

  // MARK: Operations

  /// Stores all entries of a class. Returns the time for each.
  private static func put(_ kind: Class, into store: any EntryStore) throws -> Double {
    var bytes = [UInt8](repeating: 7, count: kind.size)
    let start = SystemCounters.time
    for number in kind.range {
      // The bodies differ, as images do.
      withUnsafeBytes(of: number) { bytes.replaceSubrange(0..<8, with: $0) }
      try store.put(bytes, number: number)
    }
    return (SystemCounters.time - start) * 1e6 / Double(kind.range.count)
  }

  /// Reads entries. Returns the time for each.
  private static func get(_ numbers: [Int], from store: any EntryStore, size: Int) throws -> Double {
    let start = SystemCounters.time
    for number in numbers where try store.get(number) != size { throw MissingEntry.error }
    return (SystemCounters.time - start) * 1e6 / Double(numbers.count)
  }

  /// Computes the digest of a body as often as bodies are read. Returns the time for each; NaN without digests.
  private static func digest(_ kind: Class, of store: ResponseEntries) -> Double {
    let bodies = (0..<8).map { [UInt8](repeating: UInt8($0), count: kind.size) }
    var found = 0
    let start = SystemCounters.time
    for index in 0..<reads where store.digest(of: bodies[index % 8]) != nil { found += 1 }
    return found == reads ? (SystemCounters.time - start) * 1e6 / Double(reads) : .nan
  }

  private static func sample(_ range: Range<Int>, _ round: Int) -> [Int] {
    var random = RandomNumbers(seed: round)
    return (0..<reads).map { _ in Int.random(in: range, using: &random) }
  }
}
