import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The order and the times at which the pixels of new images are written.
struct PixelWritesTests {
  private static let second: Int64 = 1_000_000_000

  private let entry = PixelWrites.Entry(
    identity: request().identity, variant: "", madeFrom: FetchedBytes(body: [], response: nil))

  /// Returns the image that is written next; nil if pixels wait or there are none.
  private func next(_ writes: inout PixelWrites, at now: Int64 = 0) -> Image? {
    guard case .write(let image, _) = writes.next(at: now, isAgain: false) else { return nil }
    // The caller who performs the step asks again.
    #expect(writes.next(at: now, isAgain: true) == nil, "one image is written at a time")
    writes.ended()
    return image
  }

  @Test func pixelsAreWrittenInTheirOrderIfNoSlotWaits() {
    var writes = PixelWrites()
    let images = (1...3).map { Image.solid(width: $0, height: 1) }
    for image in images { writes.add(image, entry, at: 0) }
    #expect((1...3).map { _ in next(&writes) } == images)
    #expect(writes.isIdle)
  }

  @Test func pixelsWaitWhileSlotsLoad() {
    var writes = PixelWrites()
    let image = Image.solid(width: 1, height: 1)
    writes.slotBegan()
    writes.slotBegan()
    writes.add(image, entry, at: 0)
    #expect(writes.next(at: 0, isAgain: false) == .wait(until: Self.second))
    #expect(writes.next(at: 0, isAgain: false) == nil, "the wake-up is already scheduled")
    writes.slotsEnded(1, at: 0)
    #expect(next(&writes) == nil)
    writes.slotsEnded(1, at: 0)
    #expect(next(&writes) === image)
  }

  @Test func manyPixelsWaitForAQuietTimeAfterTheLastSlot() {
    var writes = PixelWrites()
    let image = Image.solid(width: SlotHold.quickBytes / 4 + 1, height: 1)
    writes.slotBegan()
    writes.add(image, entry, at: 0)
    writes.slotsEnded(1, at: 0)
    let end = Int64(SlotHold.quietTime * 1e9)
    #expect(!writes.isBusy(at: end - 1) && writes.isBusy(at: end))
    #expect(writes.next(at: 0, isAgain: false) == .wait(until: end))
    writes.woken(at: end)
    #expect(next(&writes, at: end) === image)
  }

  @Test func pixelsWaitWithTheBodiesForAQuietTime() {
    var writes = PixelWrites()
    let image = Image.solid(width: 1, height: 1)
    writes.slotBegan()
    writes.add(image, entry, at: 0)
    writes.slotsEnded(1, bodyBytes: SlotHold.quickBytes, at: 0)
    let end = Int64(SlotHold.quietTime * 1e9)
    #expect(writes.next(at: 0, isAgain: false) == .wait(until: end))
    writes.woken(at: end)
    #expect(next(&writes, at: end) === image)
  }

  @Test func pixelsWaitForOneSecondAtMost() {
    var writes = PixelWrites()
    let images = (1...2).map { Image.solid(width: $0, height: 1) }
    writes.slotBegan()
    writes.add(images[0], entry, at: 0)
    writes.add(images[1], entry, at: Self.second / 2)
    #expect(writes.next(at: 0, isAgain: false) == .wait(until: Self.second))
    writes.woken(at: Self.second)
    #expect(next(&writes, at: Self.second) === images[0])
    #expect(writes.next(at: Self.second, isAgain: false) == .wait(until: Self.second * 3 / 2))
  }

  @Test func hurriedPixelsDoNotWait() {
    var writes = PixelWrites()
    let image = Image.solid(width: 1, height: 1)
    writes.slotBegan()
    writes.add(image, entry, at: 0)
    writes.hurry()
    #expect(next(&writes) === image)
    #expect(writes.next(at: 0, isAgain: false) == nil)
    writes.add(image, entry, at: 0)
    #expect(writes.next(at: 0, isAgain: false) == .wait(until: Self.second), "`hurry` has ended")
  }

  @Test func queueKeepsALimitedNumberOfBytesInMemory() {
    var writes = PixelWrites()
    let side = 1024
    let count = PixelWrites.keptBytesLimit / (side * side * 4)
    writes.slotBegan()
    for _ in 0..<count { writes.add(.solid(width: side, height: side), entry, at: 0) }
    let shown = Image.solid(width: side, height: side)
    weak var evicted: Image?
    do {
      let image = Image.solid(width: side, height: side)
      evicted = image
      writes.add(image, entry, at: 0)
    }
    writes.add(shown, entry, at: 0)
    #expect(evicted == nil)

    writes.slotsEnded(1, at: 0)
    for _ in 0..<count { #expect(next(&writes, at: Self.second) != nil) }
    #expect(next(&writes, at: Self.second) === shown, "the released image is skipped")
    #expect(writes.isIdle)
  }

  @Test func imagesThatAreNotWrittenAreCounted() {
    var writes = PixelWrites()
    writes.slotBegan()
    // The first image exceeds the limit, so that no other is added.
    writes.add(.solid(width: 2048, height: PixelWrites.keptBytesLimit / 8192 + 1), entry, at: 0)
    writes.add(.solid(width: 1, height: 1), entry, at: 0)
    #expect(writes.lostCount == 1)
    writes.hurry()
    _ = writes.next(at: 0, isAgain: false)
    writes.ended(isWritten: false)
    #expect(writes.lostCount == 2 && writes.isIdle)
  }

  @Test func allImagesAreKeptIfTheCallerBoundsThem() {
    var writes = PixelWrites(keepsAll: true)
    let height = PixelWrites.keptBytesLimit / 8192 + 1
    for _ in 0..<3 { writes.add(.solid(width: 2048, height: height), entry, at: 0) }
    for _ in 0..<3 { #expect(next(&writes)?.pixelHeight == height) }
    #expect(writes.lostCount == 0 && writes.isIdle)
  }

  @Test func bodiesWithoutADigestCountAsKept() {
    var writes = PixelWrites()
    let image = Image.solid(width: 1, height: 1)
    func entry(_ count: Int) -> PixelWrites.Entry {
      var bytes = FetchedBytes(body: [UInt8](repeating: 0, count: count), response: nil)
      bytes.source = .disk
      return .init(identity: request().identity, variant: "", madeFrom: bytes)
    }
    writes.add(image, entry(PixelWrites.keptBytesLimit), at: 0)
    writes.add(image, entry(1), at: 0)
    #expect(next(&writes) === image)
    #expect(writes.isIdle, "the second was refused")
    writes.add(image, entry(1), at: 0)
    #expect(next(&writes) === image)
  }

  @Test func digestIsThatOfTheBodyOnDisk() {
    let digest = BodyDigest(high: 1, low: 2)
    func storedBody(_ configure: (inout FetchedBytes) -> Void) -> BodyDigest? {
      var bytes = FetchedBytes(body: [1], response: nil)
      configure(&bytes)
      let entry = PixelWrites.Entry(identity: request().identity, variant: "", madeFrom: bytes)
      return entry.storedBody { $0 == [1] ? digest : nil }
    }
    let stored = StoringSignal()
    stored.noteStoredBody(BodyDigest(high: 3, low: 4))
    #expect(storedBody { _ in } == nil, "the body was not stored")
    #expect(storedBody { $0.storing = StoringSignal() } == nil, "the body is not stored yet")
    #expect(storedBody { $0.storing = stored } == BodyDigest(high: 3, low: 4))
    #expect(storedBody { $0.source = .disk } == digest)
    let read = BodyDigest(high: 5, low: 6)
    #expect(storedBody { ($0.source, $0.digest) = (.disk, read) } == read)
  }

  @Test func laterPixelsAreNotWaitedFor() {
    var writes = PixelWrites()
    let image = Image.solid(width: 1, height: 1)
    #expect(writes.areWritten(writes.addedCount))
    writes.add(image, entry, at: 0)
    let count = writes.addedCount
    writes.add(image, entry, at: 0)
    #expect(!writes.areWritten(count))
    _ = next(&writes)
    #expect(writes.areWritten(count) && !writes.areWritten(writes.addedCount))
  }

  @Test func queueHasALimitedLength() {
    var writes = PixelWrites()
    let image = Image.solid(width: 1, height: 1)
    for _ in 0...PixelWrites.countLimit { writes.add(image, entry, at: 0) }
    for _ in 0..<PixelWrites.countLimit { #expect(next(&writes) === image) }
    #expect(writes.isIdle)
  }

  @Test func stepThatEndsWithinItsCallIsFollowedByTheNext() {
    var writes = PixelWrites()
    let image = Image.solid(width: 1, height: 1)
    for _ in 0..<2 { writes.add(image, entry, at: 0) }
    #expect(writes.next(at: 0, isAgain: false) == .write)
    writes.ended()
    #expect(writes.next(at: 0, isAgain: false) == nil, "the caller who performs the step continues")
    #expect(writes.next(at: 0, isAgain: true) == .write)
    writes.ended()
    #expect(writes.next(at: 0, isAgain: true) == nil)
    #expect(writes.isIdle)
  }
}

extension PixelWrites.Step? {
  fileprivate enum Kind: Equatable {
    case wait(until: Int64)
    case write
  }

  fileprivate static func == (step: Self, kind: Kind) -> Bool {
    switch step {
    case .wait(let time): kind == .wait(until: time)
    case .write: kind == .write
    case nil: false
    }
  }
}
