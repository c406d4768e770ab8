import Callbacks
import FoundationEssentials
import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The thread that changes the disk cache.
@Suite(.timeLimit(.minutes(5))) struct DiskWriterTests {
  private let clock = ManualLoadingClock()
  private let gate = Gate()
  private let identity = request().identity
  private let response = StoredResponse(
    response: TransportResponse(url: url(), status: 200, headers: [:]), body: [1], requested: 0, received: 0)

  private func writer(
    _ cache: (any ImageDataCache)?, ledger: MemoryLedger = MemoryLedger()
  ) -> DiskWriter {
    DiskWriter(cache, transports: TransportTable([]), ledger: ledger, clock: clock)
  }

  /// Calls an operation with a completion handler, and returns the result.
  private func result(_ body: (@escaping @Sendable (Bool) -> Void) -> Void) async throws -> Bool {
    try await callback { body($0) }
  }

  private func whenIdle(_ writer: DiskWriter) async throws {
    try await untilCalled { writer.whenIdle($0) }
  }

  @Test func operationsRunInTheOrderOfTheirCalls() async throws {
    let writer = writer(MemoryDataCache())
    writer.store(response, for: identity, keeping: nil) { #expect($0) }
    #expect(await writer.contains(identity))
    writer.remove(identity) { #expect($0) }
    #expect(await !writer.contains(identity))
    writer.store(response, for: identity, keeping: nil) { #expect($0) }
    #expect(try await result { writer.removeAll(completion: $0) })
    #expect(await !writer.contains(identity))
    try await whenIdle(writer)
    #expect(writer.isIdle)
  }

  @Test func responseCountsAsRemovedFromTheCallOn() async throws {
    let cache = MemoryDataCache(removalGate: gate)
    let writer = writer(cache)
    writer.remove(identity)
    #expect(writer.isRemoving(identity))
    #expect(!writer.isRemoving(request("b.jpg").identity))
    #expect(!writer.isIdle)

    gate.open()
    try await whenIdle(writer)
    #expect(!writer.isRemoving(identity))
  }

  @Test func diskThatHangsKeepsNoCallerWaiting() async throws {
    let cache = MemoryDataCache(removalGate: gate)
    cache.store(response, for: identity)
    let writer = writer(cache)
    let received = Mutex<[String]>([])
    writer.remove(identity) { wasThere in received.withLock { $0.append("remove \(wasThere)") } }
    await gate.waitUntilHeld(1)
    writer.store(response, for: request("b.jpg").identity, keeping: nil) { isStored in
      received.withLock { $0.append("store \(isStored)") }
    }

    clock.advance(by: DiskWrites.limit)
    #expect(received.withLock { $0.sorted() } == ["remove false", "store false"])
    #expect(writer.isIdle, "a disk that hangs is not waited for")
    #expect(writer.isRemoving(identity), "the response is not shown")
    #expect(await !writer.contains(identity))

    gate.open()
    try await whenIdle(writer)
  }

  @Test func diskThatHangsAfterAScanIsGivenUpAtTheLimitOfItsChange() async {
    let writer = writer(MemoryDataCache(removalGate: gate))
    let isScanned = await writer.access(.scan) { _ in true }
    #expect(isScanned == true)
    let received = Mutex<[Bool]>([])
    writer.remove(identity) { wasThere in received.withLock { $0.append(wasThere) } }
    await gate.waitUntilHeld(1)

    clock.advance(by: DiskWrites.limit)
    let results = received.withLock { $0 }
    gate.open()

    #expect(results == [false])
  }

  @Test func withoutADiskCacheEverythingFailsAtOnce() async throws {
    let writer = writer(nil)
    #expect(await !writer.contains(identity))
    #expect(try await !result { writer.removeAll(completion: $0) })
    #expect(try await !result { writer.store(response, for: identity, keeping: nil, completion: $0) })
    await withCheckedContinuation { done in writer.whenIdle { done.resume() } }
    #expect(writer.isIdle)
  }

  // MARK: Stores that wait for slots

  /// Stores a response while a slot is loading an image. Returns the signal of its end.
  private func hold(
    _ writer: DiskWriter, _ identity: RequestIdentity? = nil, bytes: Int = 1
  ) -> StoringSignal {
    let signal = StoringSignal()
    var response = response
    response.body = [UInt8](repeating: 1, count: bytes)
    writer.slotBegan()
    writer.store(response, for: identity ?? self.identity, keeping: nil) { signal.finish($0) }
    return signal
  }

  /// Stores a response whose body may move, while a slot is loading an image.
  private func holdBodyOfMediumSize(
    _ writer: DiskWriter, isShared: Bool = false
  ) -> (response: StoredResponse, signal: StoringSignal) {
    let signal = StoringSignal()
    var response = response
    response.body = .pattern(HeldResponse.smallestMovedBody)
    writer.slotBegan()
    writer.store(response, for: identity, isBodyShared: isShared, keeping: nil, storing: signal) {
      signal.finish($0)
    }
    return (response, signal)
  }

  @Test func storeWaitsForTheImagesOfSlots() async {
    let cache = MemoryDataCache()
    let writer = writer(cache)
    let stored = hold(writer)
    writer.slotBegan()
    writer.slotsEnded(1)
    #expect(!writer.isBusy)
    #expect(!writer.isIdle)
    #expect(writer.heldResponse(for: identity)?.response == response)
    #expect(cache.storeCount == 0)

    writer.slotsEnded(1)
    #expect(await stored.isKept)
    #expect(cache.storeCount == 1)
    #expect(writer.heldResponse(for: identity) == nil)
  }

  @Test(arguments: [false, true])
  func bodyOfMediumSizeMovesWhileItWaitsUnlessItIsShared(isShared: Bool) async {
    let cache = MemoryDataCache()
    let writer = writer(cache)
    let (response, signal) = holdBodyOfMediumSize(writer, isShared: isShared)
    #expect(writer.heldResponse(for: identity)?.isMoved == !isShared)
    #expect(writer.heldResponse(for: identity)?.response == response)

    writer.slotsEnded(1)
    #expect(await signal.isKept)
    #expect(cache.responses == [response])
    #expect(signal.storedBody == cache.digest(of: response.body))
  }

  @Test(.enabled("a file descriptor is free", { SocketBuffer(copying: [1]) != nil }))
  func bodyThatIsLostWhileItWaitsIsNotStored() async throws {
    let cache = MemoryDataCache()
    let writer = writer(cache)
    let (_, signal) = holdBodyOfMediumSize(writer)
    guard case .socket(let buffer)? = writer.heldResponse(for: identity)?.body else {
      return #expect(Bool(false), "not in a socket")
    }
    try #require(buffer.takeByte())

    writer.slotsEnded(1)
    #expect(await !signal.isKept)
    #expect(signal.storedBody == nil)
    #expect(cache.storeCount == 0)
    try await until { writer.heldResponse(for: identity) == nil && writer.isIdle }
  }

  @Test func largeBodyWaitsForAQuietTimeAfterTheLastSlot() async throws {
    let writer = writer(MemoryDataCache())
    let first = hold(writer, bytes: SlotHold.quickBytes + 1)
    writer.slotsEnded(1)
    #expect(!writer.isBusy && writer.heldResponse(for: identity) != nil)
    let second = hold(writer, request("b.jpg").identity)
    writer.slotsEnded(1)
    clock.advance(by: SlotHold.quietTime)
    #expect(await first.isKept)
    #expect(await second.isKept)
    try await until { writer.isIdle }
  }

  @Test func bodiesAreWrittenInTheQuietTimeIfACallerWaits() async throws {
    let writer = writer(MemoryDataCache())
    let stored = hold(writer, bytes: SlotHold.quickBytes + 1)
    writer.slotsEnded(1)
    try await whenIdle(writer)
    #expect(await stored.isKept)
  }

  @Test func storeWaitsForASecondAtMost() async {
    let writer = writer(MemoryDataCache())
    let first = hold(writer)
    clock.advance(by: SlotHold.longestWait / 2)
    let second = hold(writer, request("b.jpg").identity)
    clock.advance(by: SlotHold.longestWait / 2)
    #expect(await first.isKept)
    #expect(writer.heldResponse(for: request("b.jpg").identity) != nil)
    clock.advance(by: SlotHold.longestWait / 2)
    #expect(await second.isKept)
  }

  @Test func changesOfAResponseFollowItsStores() async throws {
    let cache = MemoryDataCache()
    let writer = writer(cache)
    let other = hold(writer, request("b.jpg").identity)
    _ = hold(writer)
    #expect(await writer.contains(identity))
    #expect(cache.storeCount == 1)
    let second = hold(writer)
    writer.storeIncomplete(response, for: identity, keeping: nil)
    #expect(await second.isKept)
    let third = hold(writer)
    let digest = BodyDigest(high: 1, low: 2)
    writer.update(response, of: digest, for: identity, keeping: nil) { _ in }
    #expect(await third.isKept)
    #expect(writer.heldResponse(for: request("b.jpg").identity) != nil, "other responses still wait")

    #expect(await writer.access(.scan) { _ in true } == true)
    #expect(await other.isKept)
  }

  @Test func removalReplacesTheStoreThatWaits() async throws {
    let cache = MemoryDataCache()
    let writer = writer(cache)
    let (first, other) = (hold(writer), hold(writer, request("b.jpg").identity))
    #expect(try await result { writer.remove(identity, completion: $0) }, "there was a response")
    #expect(await !first.isKept)
    #expect(writer.heldResponse(for: identity) == nil)
    #expect(writer.heldResponse(for: request("b.jpg").identity) != nil)

    #expect(try await result { writer.removeAll(completion: $0) })
    #expect(await !other.isKept)
    #expect(cache.storeCount == 0)
  }

  @Test func newerStoreReplacesTheStoreThatWaits() async throws {
    let cache = MemoryDataCache()
    let writer = writer(cache)
    let (older, newer) = (hold(writer), hold(writer, bytes: 2))
    #expect(await !older.isKept)
    #expect(writer.heldResponse(for: identity)?.bodyLength == 2)
    try await whenIdle(writer)
    #expect(await newer.isKept)
    #expect(cache.storeCount == 1)
    #expect(cache.responses.map(\.body.count) == [2])
  }

  @Test func olderStoreIsWrittenBeforeANewerOneThatDoesNotWait() async throws {
    let ledger = MemoryLedger(budget: 100)
    let cache = MemoryDataCache()
    let writer = writer(cache, ledger: ledger)
    let older = hold(writer, bytes: 20)
    let newer = hold(writer, bytes: 26)
    #expect(await older.isKept)
    #expect(await newer.isKept)
    #expect(cache.responses.map(\.body.count) == [26])
  }

  @Test func removalFollowsAStoreThatWasSubmittedAfterAnEarlierRemoval() async throws {
    let cache = MemoryDataCache(removalGate: gate)
    let writer = writer(cache)
    writer.remove(request("running.jpg").identity)
    await gate.waitUntilHeld(1)
    _ = hold(writer)
    writer.remove(request("waiting.jpg").identity)
    writer.slotsEnded(1)
    writer.remove(identity)
    gate.open()
    try await whenIdle(writer)
    #expect(cache.responses.isEmpty)
  }

  @Test func responseIsFoundUntilItIsWritten() async throws {
    let writer = writer(MemoryDataCache(removalGate: gate))
    writer.remove(request("b.jpg").identity)
    await gate.waitUntilHeld(1)
    let stored = hold(writer)
    writer.slotsEnded(1)
    #expect(writer.heldResponse(for: identity) != nil, "the disk is busy")
    gate.open()
    #expect(await stored.isKept)
    try await whenIdle(writer)
    #expect(writer.heldResponse(for: identity) == nil)
  }

  @Test func otherProcessThatFetchesTheSameImagesDoesNotWaitForSlots() async {
    let writer = writer(MemoryDataCache())
    let stored = hold(writer)
    writer.noteOtherProcess()
    #expect(await stored.isKept)
    #expect(await hold(writer).isKept)
  }

  @Test func waitingForTheWriterWritesWhatWaits() async throws {
    let cache = MemoryDataCache()
    let writer = writer(cache)
    _ = hold(writer)
    try await whenIdle(writer)
    #expect(cache.storeCount == 1)
  }

  @Test func storesDoNotWaitWhileMemoryIsScarce() async {
    let ledger = MemoryLedger(budget: 1000)
    let writer = writer(MemoryDataCache(), ledger: ledger)
    let first = hold(writer)
    ledger.handlePressure(.warning)
    #expect(await first.isKept)
    let used = MemoryReservation(0, in: ledger, as: .shown)
    #expect(used.reserve(501, force: false))
    #expect(await hold(writer).isKept)
  }

  @Test func storesThatWaitDoNotKeepOthersFromBeingWrittenWhenMemoryBecomesScarce() async {
    let ledger = MemoryLedger(budget: 100 << 20)
    let writer = writer(MemoryDataCache(), ledger: ledger)
    let held = hold(writer, bytes: 20 << 20)
    let used = MemoryReservation(0, in: ledger, as: .shown)
    #expect(used.reserve(51 << 20, force: false))
    #expect(await hold(writer, request("b.jpg").identity).isKept)
    #expect(await held.isKept)
  }

  @Test func bodyThatWaitsForMemoryMakesTheWriterWriteWhatWaits() async {
    let ledger = MemoryLedger(budget: 1000)
    let writer = writer(MemoryDataCache(), ledger: ledger)
    let stored = hold(writer)
    let body = ArrivingBody(MemoryReservation(400, in: ledger, as: .bodies), in: ledger) { _ in }
    _ = body.reserve(501) {}
    #expect(await stored.isKept)
  }

  @Test func diskThatHangsDropsTheStoresThatWait() async throws {
    let writer = writer(MemoryDataCache(removalGate: gate))
    writer.remove(identity)
    await gate.waitUntilHeld(1)
    clock.advance(by: DiskWrites.limit - SlotHold.longestWait / 2)
    let submitted = hold(writer, request("b.jpg").identity)
    writer.slotsEnded(1)
    let waiting = hold(writer)
    clock.advance(by: SlotHold.longestWait / 2)
    #expect(await !submitted.isKept)
    #expect(await !waiting.isKept)
    #expect(writer.heldResponse(for: identity) == nil)
    #expect(writer.heldResponse(for: request("b.jpg").identity) == nil)
    gate.open()
    try await whenIdle(writer)
  }
}
