import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineAnimation

/// The decoding and keeping of the frames of all animations.
@Suite(.timeLimit(.minutes(5))) struct FramePoolTests {
  private let pool = FramePool(byteLimit: 1 << 20, threads: 2)

  private func stream(
    _ image: Image, _ storage: FrameStorage = .automatic, in pool: FramePool? = nil
  ) throws -> FrameStream {
    try #require((pool ?? self.pool).frames(of: image.storingFrames(as: storage)) {})
  }

  /// Returns the red value of the frame, after waiting for it.
  private func frame(_ number: Int, _ upcoming: [Int] = [], of stream: FrameStream) -> UInt8? {
    let demand = FrameDemand(current: number, upcoming: upcoming)
    return stream.frame(for: demand, waitingFor: 30)?.image.bitmap.color(x: 0, y: 0).red
  }

  @Test func framesAreDecodedAheadInOrder() async throws {
    let animation = CountingAnimation(frameCount: 10)
    let stream = try stream(animation.image)
    #expect(stream.frame(for: FrameDemand(current: 0, upcoming: [1, 2, 3], time: 1)) != nil)
    try await until { pool.decodedFrames == 3 }
    #expect(animation.counts.withLock { $0.frames } == [1, 2, 3])
    #expect(animation.counts.withLock { $0.decoders } == 1)
  }

  @Test func oneImageInFiftyViewsIsDecodedOnce() async throws {
    let animation = CountingAnimation(frameCount: 10)
    let image = animation.image
    let streams = try (0..<50).map { _ in try stream(image) }
    for number in 0..<10 {
      for stream in streams { #expect(frame(number, [(number + 1) % 10], of: stream) == UInt8(number)) }
    }
    #expect(animation.counts.withLock { $0.frames.sorted() } == Array(1..<10))
    #expect(animation.counts.withLock { $0.decoders } == 1)
    #expect(pool.bytes == 9 * FrameTrack.smallestFrameBytes)
  }

  @Test func framesOfALargeAnimationAreDecodedAgain() throws {
    let side = 64
    let pool = FramePool(byteLimit: 8 << 20, threads: 1)
    let count = FrameTrack.keptBytes / (side * side * 4) + 1
    let animation = CountingAnimation(frameCount: count, side: side)
    let stream = try stream(animation.image, in: pool)
    for _ in 0..<2 {
      for number in 0..<count { #expect(frame(number, of: stream) == UInt8(number & 0xFF)) }
      #expect(pool.bytes <= 5 * side * side * 4)
    }
    #expect(animation.counts.withLock { $0.frames.count } == 2 * (count - 1))
    #expect(animation.counts.withLock { $0.decoders } == 1)
  }

  @Test("SD-A5 preloading keeps all five frames, and unloading lets them go")
  func preloadingKeepsAllFrames() async throws {
    let animation = CountingAnimation(frameCount: 5)
    let stream = try stream(animation.image, .preloaded)
    _ = stream.frame(for: FrameDemand(current: 0))
    // The bytes of a frame are counted when its decode begins.
    try await until { pool.decodedFrames == 4 }
    #expect(pool.bytes == 4 * FrameTrack.smallestFrameBytes)
    #expect(animation.counts.withLock { $0.frames } == [1, 2, 3, 4])
    stream.releaseFrames()
    #expect(pool.bytes == 0)
    try await until { pool.isIdle }
    #expect(pool.bytes == 0)
    // The frames are decoded again when the animation plays.
    _ = stream.frame(for: FrameDemand(current: 0))
    try await until { pool.decodedFrames == 8 }
  }

  @Test func suspendedViewCausesNoDecoding() async throws {
    let animation = CountingAnimation(frameCount: 5)
    let stream = try stream(animation.image)
    #expect(frame(1, of: stream) == 1)
    stream.suspend()
    #expect(pool.bytes == FrameTrack.smallestFrameBytes && pool.animationCount == 1)
    #expect(animation.counts.withLock { $0.frames } == [1])
  }

  @Test func releasedStreamReleasesFramesAndDecoder() throws {
    let animation = CountingAnimation(frameCount: 5)
    var stream: FrameStream? = try self.stream(animation.image)
    if let stream { #expect(frame(3, of: stream) == 3) }
    stream = nil
    #expect(pool.bytes == 0 && pool.animationCount == 0)
  }

  @Test func damagedFrameEndsTheDecoding() throws {
    let animation = CountingAnimation(frameCount: 6, damagedFrom: 3)
    let stream = try stream(animation.image)
    #expect(frame(2, of: stream) == 2)
    #expect(frame(3, of: stream) == nil && frame(4, of: stream) == nil)
    #expect(frame(1, of: stream) == 1)
    #expect(animation.counts.withLock { $0.frames } == [2, 3, 1])
  }

  @Test func frameThatDependsOnADamagedOneEndsTheDecodingOfBoth() throws {
    let animation = CountingAnimation(frameCount: 100, damagedFrom: 5)
    let stream = try stream(animation.image)
    #expect(frame(99, of: stream) == nil && stream.firstDamaged == 5)
    #expect(frame(98, of: stream) == nil && frame(5, of: stream) == nil && frame(4, of: stream) == 4)
    #expect(animation.counts.withLock { $0.frames } == [99, 4])
  }

  @Test func viewThatWaitsForALaterFrameIsToldThatAFrameIsDamaged() async throws {
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 100, damagedFrom: 5, gate: gate)
    let image = animation.image
    let calls = Atomic(0)
    let first = try stream(image)
    let second = try #require(pool.frames(of: image) { calls.add(1, ordering: .relaxed) })
    #expect(first.frame(for: FrameDemand(current: 99)) == nil)
    await gate.waitUntilHeld(1)
    #expect(second.frame(for: FrameDemand(current: 50)) == nil)

    gate.open()
    try await until { pool.isIdle }

    #expect(calls.load(ordering: .relaxed) == 1 && second.firstDamaged == 5)
  }

  @Test("YY-B42 frames keep to the budget, are dropped under memory pressure, and playing goes on")
  func framesKeepToTheBudget() throws {
    let side = 32
    let ledger = MemoryLedger(budget: 40 * 4 * side * side * 4)
    var images: [Image] = []
    var streams: [FrameStream] = []
    for _ in 0..<10 {
      let image = CountingAnimation(frameCount: 50, side: side).image
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      image.countAsShown(movedFrom: reservation)
      images.append(image)
      streams.append(try stream(image))
    }
    for number in 0..<100 {
      for stream in streams {
        #expect(frame(number % 50, [(number + 1) % 50, (number + 2) % 50], of: stream) == UInt8(number % 50))
      }
      #expect(ledger.usage.total <= ledger.budget)
    }
    #expect(pool.bytes > 50 * side * side * 4)
    ledger.handlePressure(.critical)
    #expect(pool.bytes <= 20 * side * side * 4)
    for stream in streams { #expect(frame(7, of: stream) == 7) }
  }

  @Test func threadThatWaitsGetsTheMemoryOfAViewThatHasLeft() async throws {
    let gate = Gate()
    let images = [CountingAnimation(frameCount: 5).image, CountingAnimation(frameCount: 5, gate: gate).image]
    let frameWithDecoder = 8 * 8 * 4 + 10 * 5
    // Enough for both images and one more frame, but not for two.
    let ledger = MemoryLedger(budget: images[0].cost + images[1].cost + frameWithDecoder + 100)
    for image in images { image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding)) }
    let stream = try stream(images[0])
    var other: FrameStream? = try self.stream(images[1])
    _ = other?.frame(for: FrameDemand(current: 1))
    await gate.waitUntilHeld(1)
    other = nil
    let found = Shared<DecodedFrame??>(nil)
    BlockingThread.start {
      let decoded = stream.frame(for: FrameDemand(current: 1), waitingFor: 30)
      found.withLock { $0 = .some(decoded) }
    }
    try await until { pool.lacksMemory(stream.track) }

    gate.open()

    try await until { found.withLock { $0 != nil } }
    #expect(found.withLock { $0 }??.number == 1)
  }

  @Test func frameWithoutMemoryIsTriedAgain() async throws {
    let ledger = MemoryLedger(budget: 3 * 8 * 8 * 4)
    let animation = CountingAnimation(frameCount: 5)
    let image = animation.image
    image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding))
    let blocker = MemoryReservation(2 * 8 * 8 * 4, in: ledger, as: .decoding)
    let stream = try stream(image)
    #expect(frame(1, of: stream) == nil)
    blocker.end()
    #expect(frame(1, of: stream) == 1)
    #expect(ledger.peak <= ledger.budget + 8 * 8 * 4)
  }

  @Test func canvasesThatDecodersHaveSavedAreReleasedBeforeFrames() throws {
    let ledger = MemoryLedger(budget: 1 << 20)
    let image = CountingAnimation(frameCount: 10, savedCanvasBytes: 500).image
    image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding))
    let stream = try stream(image)
    for number in [1, 2, 3] { #expect(frame(number, of: stream) == UInt8(number)) }
    let frameBytes = pool.bytes
    #expect(frameBytes == 3 * FrameTrack.smallestFrameBytes && ledger.usage.decoding == 500 + 100)

    pool.release(bytes: 500)
    #expect(pool.bytes == frameBytes && ledger.usage.decoding == 100)

    pool.release(bytes: 500)
    #expect(pool.bytes < frameBytes)
  }

  @Test func canvasesAreReleasedOnlyAsFarAsTheirMemoryIsNeeded() throws {
    let ledgers = [MemoryLedger(budget: 1 << 20), MemoryLedger(budget: 4000)]
    let streams = try [0, 0, 1].map { index in
      let image = CountingAnimation(frameCount: 10, savedCanvasBytes: 500).image
      image.countAsShown(movedFrom: MemoryReservation(0, in: ledgers[index], as: .decoding))
      let stream = try stream(image)
      #expect(frame(1, of: stream) == 1)
      return stream
    }
    let decoders = 100
    #expect(ledgers.map(\.usage.decoding) == [2 * (500 + decoders), 500 + decoders])

    // Another animation needs the memory of the small ledger.
    let other = CountingAnimation(frameCount: 10, decoderByteCount: 2200).image
    other.countAsShown(movedFrom: MemoryReservation(0, in: ledgers[1], as: .decoding))
    #expect(frame(1, of: try stream(other)) == 1)
    #expect(ledgers[0].usage.decoding == 2 * (500 + decoders), "canvases of another ledger stay")

    pool.release(bytes: 400)
    #expect(ledgers[0].usage.decoding == 500 + 2 * decoders, "the canvases of one decoder are enough")
    withExtendedLifetime(streams) {}
  }

  @Test func reportHasTheFramesOfAllAnimations() throws {
    #expect(pool.report == PoolReport())
    let streams = try (0..<2).map { _ in try stream(CountingAnimation(frameCount: 10, side: 16).image) }
    for stream in streams { for number in 1...3 { #expect(frame(number, of: stream) == UInt8(number)) } }
    pool.countDropped(2)
    pool.countDropped(3)
    #expect(pool.report == PoolReport(animations: 2, frames: 6, bytes: 6 * 1024, droppedFrames: 5))
    withExtendedLifetime(streams) {}
  }

  @Test func framesThatWereMadeInMemoryAreCountedOnce() throws {
    let frames = (0..<10).map {
      Image.Frame(bitmap: CountingAnimation(frameCount: 1).bitmap($0), duration: 0.1)
    }
    let image = Image(frames: frames)
    let ledger = MemoryLedger(budget: image.cost)
    image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding))
    #expect(ledger.usage.total == ledger.budget)

    let stream = try stream(image)
    for number in 1..<10 { #expect(frame(number, of: stream) == UInt8(number)) }

    #expect(ledger.usage.total == ledger.budget && ledger.peak == ledger.budget)
  }

  // MARK: Frames that are no longer needed

  @Test func frameOfASuspendedViewIsCancelledAndDecodedAgainOnDemand() async throws {
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 5, gate: gate)
    let stream = try stream(animation.image)
    #expect(stream.frame(for: FrameDemand(current: 2)) == nil)
    await gate.waitUntilHeld(1)

    stream.suspend()
    gate.open()
    try await until { animation.counts.withLock { $0.cancelled } == [2] }

    #expect(frame(2, of: stream) == 2)
    #expect(animation.counts.withLock { $0.frames } == [2, 2])
    #expect(animation.counts.withLock { $0.decoders } == 1)
  }

  @Test func frameDemandedWhileItIsBeingCancelledIsDecodedAgain() async throws {
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 5, gate: gate)
    let stream = try stream(animation.image)
    #expect(stream.frame(for: FrameDemand(current: 2)) == nil)
    await gate.waitUntilHeld(1)

    stream.suspend()
    #expect(stream.frame(for: FrameDemand(current: 2)) == nil)
    gate.open()

    #expect(frame(2, of: stream) == 2)
    #expect(animation.counts.withLock { $0.cancelled } == [2])
  }

  @Test func seekingCancelsTheFrameThatIsBeingDecoded() async throws {
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 20, gate: gate)
    let stream = try stream(animation.image)
    #expect(stream.frame(for: FrameDemand(current: 2, upcoming: [3, 4, 5])) == nil)
    await gate.waitUntilHeld(1)

    #expect(stream.frame(for: FrameDemand(current: 15)) == nil)
    gate.open()

    #expect(frame(15, of: stream) == 15)
    #expect(animation.counts.withLock { $0.frames } == [2, 15])
    #expect(animation.counts.withLock { $0.cancelled } == [2])
  }

  @Test func lastViewThatLeavesCancelsTheFrameAndLaterViewsHaveADecoderOfTheirOwn() async throws {
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 5, gate: gate)
    let image = animation.image
    var first: FrameStream? = try stream(image)
    #expect(first?.frame(for: FrameDemand(current: 2)) == nil)
    await gate.waitUntilHeld(1)

    first = nil
    #expect(pool.animationCount == 0)
    let second = try stream(image)
    #expect(second.frame(for: FrameDemand(current: 2)) == nil)
    await gate.waitUntilHeld(2)
    gate.open()

    #expect(frame(2, of: second) == 2)
    #expect(animation.counts.withLock { $0.decoders } == 2)
    try await until { animation.counts.withLock { $0.cancelled } == [2] }
    #expect(pool.bytes == FrameTrack.smallestFrameBytes)
  }

  @Test func decoderThatGivesUpWithoutBeingToldToStopIsDamaged() throws {
    let animation = CountingAnimation(frameCount: 5, givesUp: true)
    let stream = try stream(animation.image)

    #expect(frame(2, of: stream) == nil)
    #expect(animation.counts.withLock { $0.frames } == [2])
  }

  @Test func stillImageHasNoFrames() {
    #expect(pool.frames(of: Image(CountingAnimation(frameCount: 1).bitmap(0)), frameDecoded: {}) == nil)
  }

  @Test func framesOfAPreviewAreNotDecodedAgain() throws {
    let animation = CountingAnimation(frameCount: 6)
    var streams = [try stream(animation.image(frameCount: 2, isComplete: false))]
    #expect(frame(1, of: streams[0]) == 1)
    for count in [4, 6] {
      let image = animation.image(frameCount: count, isComplete: count == 6)
      streams.append(try #require(pool.frames(of: image, continuing: streams.last) {}))
      for number in 0..<count { #expect(frame(number, of: streams[streams.count - 1]) == UInt8(number)) }
    }
    #expect(animation.counts.withLock { $0.frames } == [1, 2, 3, 4, 5])
    #expect(
      animation.counts.withLock { $0.decoders } == 1 && animation.counts.withLock { $0.continuations } == 2)
    #expect(pool.animationCount == 1)

    streams.removeFirst(2)
    #expect(frame(3, of: streams[0]) == 3 && pool.animationCount == 1)
    streams = []
    #expect(pool.animationCount == 0 && pool.bytes == 0)
  }

  @Test func otherViewsOfAContinuedImageShareItsFrames() throws {
    let animation = CountingAnimation(frameCount: 6)
    let begun = try stream(animation.image(frameCount: 3, isComplete: false))
    #expect(frame(2, of: begun) == 2)
    let whole = animation.image
    let first = try #require(pool.frames(of: whole, continuing: begun) {})
    let second = try stream(whole)
    #expect(frame(5, of: first) == 5 && frame(5, of: second) == 5 && frame(2, of: second) == 2)
    #expect(animation.counts.withLock { $0.frames } == [2, 5] && pool.animationCount == 1)
  }

  @Test func wholeImageWithFewerFramesThanItsPreviewLeavesTheOtherFramesToThePreview() throws {
    let animation = CountingAnimation(frameCount: 6)
    let preview = try stream(animation.image(frameCount: 4, isComplete: false))
    let whole = try #require(
      pool.frames(of: animation.image(frameCount: 3, isComplete: true), continuing: preview) {})

    #expect(frame(2, of: whole) == 2 && frame(3, of: preview) == 3)
    #expect(animation.counts.withLock { $0.decoders } == 1 && pool.animationCount == 1)
  }

  @Test func framesOfAnotherSizeAreNotShared() throws {
    let begun = try stream(CountingAnimation(frameCount: 6, side: 4).image(frameCount: 3, isComplete: false))
    let other = try #require(
      pool.frames(of: CountingAnimation(frameCount: 6).image, continuing: begun) {})
    #expect(frame(1, of: other) == 1 && pool.animationCount == 2)
  }
}
