import Vitrine

/// A store of numbered entries, one side of the comparison of `disk`.
protocol EntryStore {
  /// Stores the bytes of an entry. Throws if the entry is not stored.
  func put(_ bytes: [UInt8], number: Int) throws
  /// Reads an entry into memory of its own. Returns the number of its bytes.
  func get(_ number: Int) throws -> Int
}

/// The responses of a disk cache.
struct ResponseEntries: EntryStore {
  let cache: DiskImageCache
  private let requests: [ImageRequest]
  private let identities: [RequestIdentity]

  init(folder: String, count: Int) throws {
    var limits = DiskImageCache.Limits()
    (limits.bytes, limits.freeBytes, limits.freeFiles) = (4 << 30, 0, 0)
    cache = DiskImageCache(directory: folder, limits: limits)
    requests = try (0..<count).map { try ImageRequest(entryURL($0)) }
    identities = requests.map { RequestIdentity($0) }
  }

  func put(_ bytes: [UInt8], number: Int) throws {
    let response = TransportResponse(
      url: requests[number].url, status: 200, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60"])
    let stored = StoredResponse(response: response, body: bytes, requested: 1, received: 1)
    guard cache.store(stored, for: identities[number]) else {
      throw BenchmarkError("\(cache.directory) cannot be written")
    }
  }

  func get(_ number: Int) throws -> Int {
    guard let response = cache.response(for: identities[number]) else { throw MissingEntry.error }
    return response.body.count
  }

  func identity(_ number: Int) -> RequestIdentity { identities[number] }

  /// Returns the digest that is compared with each read of a body; nil from a cache without digests.
  func digest(of bytes: [UInt8]) -> BodyDigest? { cache.digest(of: bytes) }
}

/// The decoded pixels of a disk cache: squares, whose bytes are those of the entries.
struct PixelEntries: EntryStore {
  private let folder: String
  private let cache: DiskPixelCache
  private let keys: [PixelKey]
  private let images: [Image]
  private let body = BodyDigest(high: 1, low: 2)

  /// Creates a store that has one of `images` for each entry.
  init(folder: String, count: Int, images: [Image]) throws {
    self.folder = folder
    cache = Self.cache(in: folder)
    keys = try (0..<count).map {
      PixelKey(identity: RequestIdentity(try ImageRequest(entryURL($0))), variant: "64x64")
    }
    self.images = images
  }

  private init(_ other: PixelEntries) {
    (folder, keys, images) = (other.folder, other.keys, other.images)
    cache = Self.cache(in: folder)
  }

  private static func cache(in folder: String) -> DiskPixelCache {
    var limits = DiskPixelCache.Limits()
    // The index has room for 100,000 entries. A full part of it takes no further entry for a short time.
    (limits.bytes, limits.freeBytes) = (2 << 30, 0)
    return DiskPixelCache(directory: folder, limits: limits)
  }

  /// Returns a store with the same entries and a new cache, as after a restart.
  func opened() -> PixelEntries { PixelEntries(self) }

  /// Stores the image of a number. The bytes are those that the other stores get.
  func put(_ bytes: [UInt8], number: Int) throws {
    let image = images[number % images.count]
    guard cache.store(image, isAnimated: false, for: keys[number], of: body) else {
      throw BenchmarkError("the pixels are not stored")
    }
  }

  func get(_ number: Int) throws -> Int {
    guard let image = find(number) else { throw MissingEntry.error }
    return image.pixelWidth * image.pixelHeight * 4
  }

  func trim() { cache.trim() }

  /// Returns the image of an entry; nil if it is not there.
  func find(_ number: Int) -> Image? { cache.pixels(for: keys[number], of: body) { _ in }?.image }
}

enum MissingEntry { static let error = BenchmarkError("an entry that was stored is not there") }

func entryURL(_ number: Int) -> String { "http://a.test/\(number).jpg" }
