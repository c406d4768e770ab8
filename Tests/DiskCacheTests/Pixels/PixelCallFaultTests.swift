import Glibc
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Each system call of each operation of the pixel cache fails once.
@Suite(.timeLimit(.minutes(5))) struct PixelCallFaultTests {
  /// The operations on a cache with the images 1, 2 and 3, and one image of a private request.
  enum Operation: String, CaseIterable {
    case lookUp, lookUpSecret, use, store, storeFirst, storeFirstSecret, replace, evict, remove, removeAll,
      trim, count, verify
    /// The operations on images that have a pack of their own.
    case storeLarge, replaceLarge, removeLarge

    var isFirst: Bool { [.storeFirst, .storeFirstSecret].contains(self) }
    var isLarge: Bool { [.storeLarge, .replaceLarge, .removeLarge].contains(self) }
    var replaces: Bool { [.replace, .replaceLarge].contains(self) }
    var removes: Bool { [.remove, .removeLarge].contains(self) }
  }

  private static let secret = PixelKey(
    identity: identity("secret.jpg", headers: ["Cookie": "session=1"]), variant: "64x64")
  private static let limit = 512 << 10

  /// The width and height of images. Large images have packs of their own, which can be evicted.
  private static func side(_ operation: Operation) -> Int { operation == .evict ? 100 : 16 }

  private static func image(_ number: Int, _ operation: Operation) -> Image {
    pixelImage(side(operation), side(operation), seed: number)
  }

  private static func cache(
    _ operation: Operation, _ fixture: DiskFixture, on system: any DiskSystem = LinuxDiskSystem()
  ) -> DiskPixelCache {
    fixture.pixels(on: system) {
      $0.bytes = limit
      if operation.isLarge { $0.maximumPackedBytes = 0 }
    }
  }

  /// Returns a folder with the images.
  private static func filled(_ operation: Operation) -> DiskFixture {
    let fixture = DiskFixture()
    guard !operation.isFirst else { return fixture }
    let cache = cache(operation, fixture)
    let side = side(operation)
    for number in 1...3 { cache.put(number, width: side, height: side) }
    cache.store(image(4, operation), isAnimated: false, for: secret, of: body(4))
    // Fills the cache with images that were used a day before the others.
    if operation == .evict {
      fixture.advance(by: -86400)
      for number in 20..<40 { cache.put(number, width: side, height: side) }
      fixture.advance(by: 86400)
    }
    return fixture
  }

  private static func perform(_ operation: Operation, _ cache: DiskPixelCache, _ fixture: DiskFixture) {
    let side = side(operation)
    switch operation {
    case .lookUp: lookUp(cache, pixelKey(1), 1)
    case .lookUpSecret: lookUp(cache, secret, 4)
    case .use:
      fixture.advance(by: 2 * 86400)
      lookUp(cache, pixelKey(1), 1)
    case .store, .storeFirst, .storeLarge, .evict: cache.put(9, width: side, height: side)
    case .storeFirstSecret: cache.store(image(4, operation), isAnimated: false, for: secret, of: body(4))
    case .replace, .replaceLarge:
      cache.store(image(9, operation), isAnimated: false, for: pixelKey(1), of: body(9))
    case .remove, .removeLarge: cache.removePixels(of: identity(1))
    case .removeAll: cache.removeAllPixels()
    case .trim: cache.trim()
    case .count: _ = cache.usage()
    case .verify: _ = cache.verify(isRepairing: true)
    }
  }

  private static func lookUp(_ cache: DiskPixelCache, _ key: PixelKey, _ number: Int) {
    let found = cache.pixels(for: key, of: body(number)) { _ in }
    #expect(found == nil || isSame(found, image(number, .lookUp)))
  }

  /// Checks the conditions that hold after any failure.
  private static func check(_ operation: Operation, _ fixture: DiskFixture, _ note: Comment) {
    let cache = cache(operation, fixture)
    let keys = [
      (pixelKey(1), 1), (pixelKey(2), 2), (pixelKey(3), 3), (secret, 4), (pixelKey(1), 9), (pixelKey(9), 9),
    ]
    var found: [Bool] = []
    for (key, number) in keys {
      let pixels = cache.pixels(for: key, of: body(number)) { _ in }
      #expect(pixels == nil || isSame(pixels, image(number, operation)), note)
      found.append(pixels != nil)
    }
    guard !operation.isFirst, operation != .removeAll else { return }
    #expect(found[1] && found[2] && found[3], note)
    if !operation.removes, !operation.replaces { #expect(found[0], note) }
    if operation.replaces { #expect(!(found[0] && found[4]), note) }
    // A change of which a part fails may leave an entry without a record.
    let isRead = [.lookUp, .lookUpSecret, .use, .trim, .count, .verify].contains(operation)
    if isRead { #expect(cache.statistics.damaged == 0, note) }
  }

  /// Checks the operations that must work when no call fails.
  private static func checkAgain(_ cache: DiskPixelCache, _ fixture: DiskFixture, _ note: Comment) {
    fixture.clock.advance(by: WritePause.seconds)
    cache.limits.bytes = 4 << 20
    #expect(cache.put(10) && cache.has(10), note)
    #expect(cache.store(image(5, .store), isAnimated: false, for: secret, of: body(5)), note)
    #expect(isSame(cache.pixels(for: secret, of: body(5)) { _ in }, image(5, .store)), note)
    #expect(cache.fault == nil, note)
    cache.removePixels(of: identity(10))
    #expect(cache.find(10) == nil, note)
    cache.removeAllPixels()
    #expect(cache.find(9) == nil && fixture.packPaths.isEmpty, note)
    #expect(fixture.pixelFiles.isEmpty, note)
  }

  @Test(
    "a call that fails once shows no wrong pixels, and loses no descriptor and no later operation",
    arguments: Operation.allCases)
  func callThatFailsOnceShowsNoWrongPixels(operation: Operation) {
    for call in Self.calls(of: operation) {
      // Repeats until the operation makes fewer calls than `number`.
      var number = 1
      while Self.fails(operation, call, number) { number += 1 }
    }
  }

  /// Returns the calls that an operation makes.
  private static func calls(of operation: Operation) -> [FaultySystem.Call] {
    let (fixture, system) = (filled(operation), FaultySystem())
    // Closing files is a part of the operation.
    do { perform(operation, cache(operation, fixture, on: system), fixture) }
    return FaultySystem.Call.allCases.filter { system.calls.contains($0) }
  }

  /// Fails one call in each way. Returns false if the operation does not make the call.
  private static func fails(_ operation: Operation, _ call: FaultySystem.Call, _ number: Int) -> Bool {
    for fault in FaultySystem.Fault.all(of: call, number: number) {
      let (fixture, system) = (filled(operation), FaultySystem())
      let note: Comment = "\(operation.rawValue), \(call.rawValue) number \(number): \(fault)"
      do {
        let cache = cache(operation, fixture, on: system)
        system.fail(call, number: number, with: fault)
        perform(operation, cache, fixture)
        guard system.hasFailed else { return false }
        check(operation, fixture, note)
        checkAgain(cache, fixture, note)
      }
      #expect(system.openCount == 0, note)
    }
    return true
  }
}
