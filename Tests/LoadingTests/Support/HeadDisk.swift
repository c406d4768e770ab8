import Synchronization
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A disk cache in memory that reads heads without bodies and knows the digests of its bodies.
final class HeadDisk: ImageDataCache {
  let memory: MemoryDataCache
  let findsAllHeads: Bool

  /// - Parameters:
  ///   - gate: The gate at which bodies are read; open by default.
  ///   - findsAllHeads: True if no body is to be looked for without a head.
  init(gate: Gate = Gate(isOpen: true), findsAllHeads: Bool = false) {
    memory = MemoryDataCache(gate: gate)
    self.findsAllHeads = findsAllHeads
  }

  /// The number of bodies that were read.
  var bodiesRead: Int { memory.lookups.count }

  static func digest(_ body: [UInt8]) -> BodyDigest {
    let sum = body.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return BodyDigest(high: UInt64(body.count), low: sum)
  }

  func head(for identity: RequestIdentity) -> StoredHead? {
    var found: StoredResponse?
    memory.change(identity) { found = $0 }
    guard var response = found else { return nil }
    let body = response.body
    response.body = []
    return StoredHead(response: response, bodyLength: body.count, body: Self.digest(body))
  }

  func digest(of body: [UInt8]) -> BodyDigest? { Self.digest(body) }

  func update(_ response: StoredResponse, of body: BodyDigest, for identity: RequestIdentity) -> Bool {
    guard head(for: identity)?.body == body else { return false }
    memory.change(identity) { old in
      let kept = old.body
      old = response
      old.body = kept
    }
    return true
  }

  func response(for identity: RequestIdentity) -> StoredResponse? { memory.response(for: identity) }
  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    memory.store(response, for: identity)
  }
  func removeResponse(for identity: RequestIdentity) -> Bool { memory.removeResponse(for: identity) }
  func removeAllResponses() -> Bool { memory.removeAllResponses() }
  func containsResponse(for identity: RequestIdentity) -> Bool { memory.containsResponse(for: identity) }
}

/// A disk cache in memory that knows the digests of its bodies, reads no heads, and replaces whole responses only.
final class DigestDisk: ImageDataCache {
  let memory = MemoryDataCache()

  func digest(of body: [UInt8]) -> BodyDigest? { HeadDisk.digest(body) }

  func response(for identity: RequestIdentity) -> StoredResponse? { memory.response(for: identity) }
  func store(_ response: StoredResponse, for identity: RequestIdentity) -> Bool {
    memory.store(response, for: identity)
  }
  func removeResponse(for identity: RequestIdentity) -> Bool { memory.removeResponse(for: identity) }
  func removeAllResponses() -> Bool { memory.removeAllResponses() }
  func containsResponse(for identity: RequestIdentity) -> Bool { memory.containsResponse(for: identity) }
}

/// A pixel cache in memory.
final class MemoryPixelCache: ImagePixelCache {
  private struct Entry {
    let pixels: StoredPixels
    let body: BodyDigest
  }

  private let entries = Mutex<[PixelKey: Entry]>([:])
  /// Called when pixels are looked for, before they are found.
  private let onLookup: @Sendable () -> Void

  let readSpeed: Double

  init(readSpeed: Double = 400e6, onLookup: @escaping @Sendable () -> Void = {}) {
    self.readSpeed = readSpeed
    self.onLookup = onLookup
  }

  func pixels(
    for key: PixelKey, of body: BodyDigest, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    onLookup()
    guard let entry = entries.withLock({ $0[key] }), entry.body == body else { return nil }
    reserve(entry.pixels.image.cost)
    return entry.pixels
  }

  func smallerPixels(
    for key: PixelKey, of body: BodyDigest, maximumCount: Int, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? {
    func count(_ entry: Entry) -> Int { entry.pixels.image.pixelWidth * entry.pixels.image.pixelHeight }
    let others = entries.withLock { entries in
      entries.filter { $0.key != key && $0.key.identity == key.identity && $0.key.family == key.family }
    }
    let found = others.values.filter { $0.body == body && count($0) <= maximumCount }.max {
      count($0) < count($1)
    }
    if let found { reserve(found.pixels.image.cost) }
    return found?.pixels
  }

  func store(_ image: Image, isAnimated: Bool, for key: PixelKey, of body: BodyDigest) -> Bool {
    entries.withLock { $0[key] = Entry(pixels: .init(image: image, isAnimated: isAnimated), body: body) }
    return true
  }

  func removePixels(of identity: RequestIdentity) {
    entries.withLock { $0 = $0.filter { $0.key.identity != identity } }
  }

  func removeAllPixels() { entries.withLock { $0 = [:] } }

  var byteLimit: Int { .max }

  /// The number of images.
  var count: Int { entries.withLock { $0.count } }
}
