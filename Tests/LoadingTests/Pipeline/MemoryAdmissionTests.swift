import Callbacks
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// A downloader reserves its memory in a ledger, and its work waits while the budget is full.
@Suite(.timeLimit(.minutes(1))) struct MemoryAdmissionTests {
  private static let imageBytes = 64 * 48 * PixelFormat.bytesPerPixel

  /// A memory holder that has nothing to release and counts how often it is asked.
  private final class CountingHolder: MemoryHolder {
    let gate = Gate(isOpen: true)
    private let count = Mutex(0)
    var releaseCalls: Int { count.withLock { $0 } }

    func count(against ledger: MemoryLedger) { ledger.register(self, as: .cache) }
    func release(bytes: Int) {
      count.withLock { $0 += 1 }
      gate.pass()
    }
    func handlePressure(_ pressure: MemoryPressure) {}
  }

  private final class Names: Sendable {
    private let names = Mutex("")
    var all: String { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0 += name } }
  }

  // MARK: Loading within the budget

  @Test(
    "All images that fit the budget load, and the peak exceeds it by at most one image per thread",
    arguments: [imageBytes, imageBytes * 5 / 2], [1, 2, 4])
  func imagesThatFitTheBudgetLoad(budget: Int, threads: Int) async throws {
    let ledger = MemoryLedger(budget: budget)
    let world = Fixture {
      $0.memory.ledger = ledger
      $0.decoding.threads = threads
    }
    world.transport.respondToAll { $0.respond(with: Fixture.body) }

    // Images that callers hold count, so only as many are loaded at a time as there are threads.
    for first in stride(from: 0, to: 60, by: threads) {
      let tasks = (first..<(first + threads)).map { world.downloader.load(request("\($0)")) }
      for task in tasks { _ = try await task.response }
    }

    // Bodies are a few bytes each. Each thread may insert an image into the cache before any thread evicts others.
    let bodies = Fixture.body.count * threads
    #expect(ledger.peak <= budget + threads * Self.imageBytes + bodies)
    // The threads release bodies shortly after the last response has been delivered.
    try await until { ledger.usage.bodies == 0 && ledger.usage.decoding == 0 && ledger.usage.shown == 0 }
    #expect(ledger.usage.total <= max(budget, 0))
    #expect(ledger.usage.cache == world.cache.usage)
  }

  @Test(arguments: [0, 1, imageBytes - 1])
  func imageLargerThanTheBudgetIsRefusedBeforeDecoding(budget: Int) async throws {
    let ledger = MemoryLedger(budget: budget)
    let world = Fixture { $0.memory.ledger = ledger }

    let error = await #expect(throws: ImageError.self) { try await world.loaded(request("large")) }

    #expect(error == .tooLarge(.memory(needed: Self.imageBytes, allowed: budget)))
    #expect(error?.isMemoryShortage == false)
    #expect(world.decoder.calls.isEmpty)
    #expect(ledger.usage.total == 0)
    #expect(ledger.peak < Self.imageBytes)
  }

  @Test func refusedImageLoadsAtASmallerSize() async throws {
    let ledger = MemoryLedger(budget: Self.imageBytes - 1)
    let world = Fixture { $0.memory.ledger = ledger }
    await #expect(throws: ImageError.self) { try await world.loaded(request()) }

    let response = try await world.loaded(request(target: DecodeTarget(width: 16, height: 12)))

    #expect(response.image.pixelWidth == 16)
  }

  // MARK: Counting

  @Test func bodiesCountUntilTheyAreDecoded() async throws {
    let ledger = MemoryLedger()
    let world = Fixture({ $0.memory.ledger = ledger }, decodingIsHeld: true)
    let task = world.downloader.load(request())
    let transfer = world.transport.transfers[0]
    transfer.respond()
    transfer.send(Array(Fixture.body[..<5]))
    #expect(ledger.usage.bodies == 5)
    transfer.send(Array(Fixture.body[5...]))
    transfer.finish()
    await world.gate.waitUntilHeld(1)
    #expect(ledger.usage.bodies == Fixture.body.count)
    #expect(ledger.usage.decoding == Self.imageBytes)

    world.gate.open()
    _ = try await task.response

    #expect(ledger.usage.cache == Self.imageBytes)
    #expect(ledger.usage.total == Self.imageBytes)
  }

  @Test func cancelledOrFailedTransferReleasesItsBody() async {
    let ledger = MemoryLedger()
    let world = Fixture { $0.memory.ledger = ledger }
    let cancelled = world.downloader.load(request("a"))
    let failed = world.downloader.load(request("b"))
    for transfer in world.transport.transfers {
      transfer.respond()
      transfer.send([1, 2, 3])
    }
    #expect(ledger.usage.bodies == 6)

    cancelled.cancel()
    world.transport.transfers[1].fail(.status(500))
    _ = try? await failed.response

    #expect(ledger.usage.total == 0)
  }

  @Test func imageCountsWhileItIsTransformed() async throws {
    let ledger = MemoryLedger()
    let gate = Gate()
    let world = Fixture { $0.memory.ledger = ledger }
    let task = world.downloader.load(request(transforms: [HeldTransform(gate: gate)]))
    world.transport.transfers[0].respond(with: Fixture.body)
    await gate.waitUntilHeld(1)
    #expect(ledger.usage.decoding == Self.imageBytes, "the result is reserved")
    #expect(ledger.usage.shown == Self.imageBytes, "the source image is counted")

    gate.open()
    _ = try await task.response

    #expect(ledger.usage.decoding == 0)
  }

  private struct HeldTransform: ImageTransform {
    let gate: Gate
    let identifier = "held"
    func apply(to image: Image) -> Image {
      gate.pass()
      return image
    }
  }

  @Test func cacheCountsItsImagesInOneLedger() {
    let cache = MemoryImageCache()
    cache.insert(.solid(width: 10, height: 10), for: request(), additionalIdentifier: nil)
    let first = MemoryLedger()
    let second = MemoryLedger()

    cache.count(against: first)
    cache.count(against: first)
    #expect(first.usage.cache == 400)
    cache.count(against: second)
    #expect(first.usage.cache == 0)
    #expect(second.usage.cache == 400)
    cache.removeAllImages()
    #expect(second.usage.cache == 0)
  }

  @Test func releasedCacheLeavesTheLedger() {
    let ledger = MemoryLedger()
    do {
      let cache = MemoryImageCache()
      cache.count(against: ledger)
      cache.insert(.solid(width: 10, height: 10), for: request(), additionalIdentifier: nil)
      #expect(ledger.usage.cache == 400)
    }
    #expect(ledger.usage.cache == 0)
  }

  @Test("AF-C22 the ledger agrees with a cache that several threads use")
  func ledgerAgreesWithACacheUnderConcurrentUse() async {
    let ledger = MemoryLedger(budget: 12_000)
    let cache = MemoryImageCache(capacity: 20_000, preferredUsageAfterPurge: 10_000, countLimit: 15)
    cache.count(against: ledger)
    await withDiscardingTaskGroup { group in
      for seed in 0..<8 {
        group.addTask {
          for step in 0..<500 {
            let request = request("\((step * 7 + seed * 13) % 31)")
            switch step % 9 {
            case 0...3: cache.insert(.solid(width: 250, height: 1), for: request, additionalIdentifier: nil)
            case 4: cache.removeImage(for: request, additionalIdentifier: nil)
            case 5 where step % 45 == 5: cache.removeAllImages()
            case 5: cache.purge(to: 5000)
            case 6: cache.release(bytes: 1500)
            case 7: cache.handlePressure(step % 2 == 0 ? .warning : .critical)
            default: _ = cache.image(for: request, additionalIdentifier: nil)
            }
          }
        }
      }
    }

    #expect(ledger.usage.cache == cache.usage)
    #expect(cache.usage == cache.statistics.entries * 1000)
  }

  // MARK: Eviction

  @Test func reservationEvictsTheLeastRecentlyUsedImageFirst() {
    let ledger = MemoryLedger(budget: 1000)
    let cache = MemoryImageCache()
    cache.count(against: ledger)
    for name in ["a", "b"] {
      cache.insert(.solid(width: 10, height: 10), for: request(name), additionalIdentifier: nil)
    }

    let body = MemoryReservation(300, in: ledger, as: .bodies)

    #expect(cache.image(for: request("a"), additionalIdentifier: nil) == nil)
    #expect(cache.image(for: request("b"), additionalIdentifier: nil) != nil)
    #expect(cache.statistics.evictionsByReason == [.pressure: 1])
    body.end()
  }

  @Test("AF-C19 critical memory pressure empties the cache except for images that are being shown")
  func criticalPressureKeepsOnlyShownImages() {
    let ledger = MemoryLedger()
    let cache = MemoryImageCache(capacity: 4000, preferredUsageAfterPurge: 1000)
    cache.count(against: ledger)
    let shown = Image.solid(width: 10, height: 10)
    let showing = Image.Showing(shown)
    cache.insert(shown, for: request("shown"), additionalIdentifier: nil)
    for name in ["a", "b", "c", "d"] {
      cache.insert(.solid(width: 10, height: 10), for: request(name), additionalIdentifier: nil)
    }

    ledger.handlePressure(.warning)
    #expect(cache.usage == 800)
    ledger.handlePressure(.critical)
    #expect(cache.usage == 400)
    #expect(cache.image(for: request("shown"), additionalIdentifier: nil) === shown)
    _ = consume showing
    ledger.handlePressure(.critical)

    #expect(cache.usage == 0)
    #expect(ledger.usage.total == 0)
  }

  @Test("YY-B32 a cache reacts to memory pressure only if it counts in the ledger that reports the pressure")
  func cacheReactsOnlyToPressureOfItsLedger() {
    let ledger = MemoryLedger()
    let counted = MemoryImageCache()
    let other = MemoryImageCache()
    counted.count(against: ledger)
    for cache in [counted, other] {
      cache.insert(.solid(width: 10, height: 10), for: request(), additionalIdentifier: nil)
    }

    ledger.handlePressure(.critical)

    #expect(counted.usage == 0)
    #expect(other.usage == 400)
  }

  // MARK: Order

  @Test func highestPriorityJobRunsNextWhenMemoryIsReleased() async throws {
    let ledger = MemoryLedger(budget: 100)
    let holder = CountingHolder()
    holder.count(against: ledger)
    holder.gate.close()
    let pool = WorkerPool(threads: 2)
    let names = Names()
    let gate = Gate()
    func submit(_ id: UInt64, _ name: String, _ bytes: Int, _ priority: Int = 2) {
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      pool.submit(id, priority: priority, taking: MemoryClaim(bytes, in: reservation)) {
        names.add(name)
        reservation.end()
      }
    }
    let first = MemoryReservation(0, in: ledger, as: .decoding)
    pool.submit(1, priority: 2, taking: MemoryClaim(80, in: first)) {
      gate.pass()
      names.add("a")
      first.end()
    }
    await gate.waitUntilHeld(1)

    submit(2, "b", 80)
    // The second thread has found the budget full, and asks the holder to release memory.
    await holder.gate.waitUntilHeld(1)
    submit(3, "c", 10, 1)
    submit(4, "d", 90, 3)
    holder.gate.open()
    gate.open()
    try await until { names.all.count >= 4 }

    #expect(
      names.all.hasPrefix("ad"),
      "the job of the highest priority is next, even if another job has waited longer")
    #expect(ledger.peak <= 100)
  }

  @Test func noOtherJobStartsWhileMemoryIsEvictedForAJob() async throws {
    let ledger = MemoryLedger(budget: 100)
    let kept = MemoryReservation(80, in: ledger, as: .cache)
    let holder = CountingHolder()
    holder.count(against: ledger)
    holder.gate.close()
    let pool = WorkerPool(threads: 2)
    let names = Names()
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    pool.submit(1, priority: 2, taking: MemoryClaim(60, in: reservation)) {
      names.add("a")
      reservation.end()
    }
    await holder.gate.waitUntilHeld(1)
    pool.submit(2, priority: 1) { names.add("b") }
    for _ in 0..<20_000 where names.all.isEmpty { await Task.yield() }
    #expect(names.all.isEmpty, "the first job does not fit, and the second job may not overtake it")
    kept.end()
    holder.gate.open()
    try await until { names.all.count >= 2 }
    #expect(ledger.peak <= 100)
  }

  @Test func resubmittedJobEvictsMemoryAgain() async throws {
    let ledger = MemoryLedger(budget: 100)
    let kept = MemoryReservation(80, in: ledger, as: .cache)
    let holder = CountingHolder()
    holder.count(against: ledger)
    let pool = WorkerPool(threads: 1)
    for round in 1...3 {
      try await untilCalled { done in
        let reservation = MemoryReservation(0, in: ledger, as: .decoding)
        pool.submit(1, priority: 2, taking: MemoryClaim(60, in: reservation)) {
          reservation.end()
          done()
        }
      }
      #expect(holder.releaseCalls == round)
      #expect(!pool.isShortOfMemory)
    }
    kept.end()
  }

  // MARK: Waiting for memory in use

  /// A pool of one thread, and a budget of 64 MiB, part of which cannot be evicted.
  private struct CrowdedPool {
    let ledger = MemoryLedger(budget: 64 << 20)
    let clock = ManualLoadingClock()
    let pool: WorkerPool
    let kept: MemoryReservation

    init(kept bytes: Int) {
      pool = WorkerPool(threads: 1, clock: clock)
      kept = MemoryReservation(bytes, in: ledger, as: .textures)
    }

    func submit(_ id: UInt64, _ bytes: Int, _ body: @escaping @Sendable (MemoryClaim?) -> Void) {
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      let claim = MemoryClaim(bytes, in: reservation)
      pool.submit(id, taking: claim) {
        body(claim)
        reservation.end()
      }
    }

    /// Returns when a job waits for the clock.
    func waitUntilAJobWaits() async throws { try await until { !clock.wakes.isEmpty } }
  }

  @Test func imageMayExceedTheBudgetSlightlyWhenNothingCanBeEvicted() async throws {
    let world = CrowdedPool(kept: 60 << 20)
    try await untilCalled { done in
      world.submit(1, 28 << 20) { claim in
        #expect(claim?.isGivenUp == false)
        done()
      }
    }
    #expect(world.ledger.peak == 88 << 20)
    world.kept.end()
  }

  @Test func imageThatDoesNotFitWaitsForMemory() async throws {
    let world = CrowdedPool(kept: 60 << 20)
    let names = Names()
    world.submit(1, 40 << 20) { claim in names.add(claim?.isGivenUp == false ? "made" : "refused") }
    try await world.waitUntilAJobWaits()
    world.clock.advance(by: 0.1)
    try await world.waitUntilAJobWaits()
    #expect(names.all.isEmpty)

    world.kept.resize(to: 10 << 20)
    world.clock.advance(by: 0.1)
    try await until { !names.all.isEmpty }

    #expect(names.all == "made")
    #expect(world.ledger.peak <= 64 << 20)
    world.kept.end()
  }

  @Test func imageThatDoesNotFitForFiveSecondsIsRefused() async throws {
    let world = CrowdedPool(kept: 60 << 20)
    let names = Names()
    world.submit(1, 40 << 20) { claim in
      #expect(claim?.refusal == .tooLarge(.memory(needed: 40 << 20, allowed: 64 << 20)))
      #expect(claim?.refusal.isMemoryShortage == true)
      names.add(claim?.isGivenUp == true ? "refused" : "made")
    }
    for step in 1...50 {
      try await world.waitUntilAJobWaits()
      #expect(names.all.isEmpty, "step \(step)")
      world.clock.advance(by: 0.1)
    }
    try await until { !names.all.isEmpty }

    #expect(names.all == "refused")
    #expect(world.ledger.peak == 60 << 20)
    world.kept.end()
  }

  @Test(arguments: [(65, 0, 0), (60, 40, 0), (40, 0, 50)])
  func imageThatCanNeverFitIsNotAMemoryShortage(needed: Int, reserved: Int, kept: Int) {
    let ledger = MemoryLedger(budget: 64 << 20)
    let reservation = MemoryReservation(reserved << 20, in: ledger, as: .decoding)

    let claim = MemoryClaim(needed << 20, in: reservation, beside: kept << 20)

    #expect(claim?.isGivenUp == true)
    #expect(claim?.refusal.isMemoryShortage == false)
  }

  // MARK: Measuring

  @Test func memoryIsMeasuredOnAWorkerAndNotOnTheSubmittingThread() async throws {
    let ledger = MemoryLedger(budget: 64 << 20)
    let pool = WorkerPool(threads: 1)
    let (gate, names) = (Gate(), Names())
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    let claim = MemoryClaim(in: reservation) {
      gate.pass()
      return 10 << 20
    }

    pool.submit(1, taking: claim) { [ledger] in
      names.add(ledger.usage.decoding == 10 << 20 ? "counted" : "uncounted")
      reservation.end()
    }
    await gate.waitUntilHeld(1)
    #expect(!pool.isIdle)
    gate.open()
    try await until { pool.isIdle }

    #expect(names.all == "counted")
  }

  @Test func jobWithoutMemoryRunsWhileTheBudgetIsExceeded() async throws {
    let world = CrowdedPool(kept: 100 << 20)
    let names = Names()
    let reservation = MemoryReservation(0, in: world.ledger, as: .decoding)

    world.pool.submit(1, taking: MemoryClaim(in: reservation) { 0 }) { names.add("a") }
    try await until { world.pool.isIdle }

    #expect(names.all == "a")
    world.kept.end()
  }

  @Test func jobKeepsItsOrderWhileItIsMeasured() async throws {
    let pool = WorkerPool(threads: 1)
    let (gate, names) = (Gate(), Names())
    let ledger = MemoryLedger(budget: 64 << 20)
    for (id, name) in [(1, "a"), (2, "b")] as [(UInt64, String)] {
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      let claim = MemoryClaim(in: reservation) {
        gate.pass()
        return 1
      }
      pool.submit(id, taking: claim) {
        names.add(name)
        reservation.end()
      }
    }
    await gate.waitUntilHeld(1)
    pool.submit(3, priority: 3) { names.add("c") }

    gate.open()
    try await until { pool.isIdle }

    #expect(names.all == "cab")
  }

  @Test func jobCancelledWhileItIsMeasuredDoesNotRun() async throws {
    let pool = WorkerPool(threads: 1)
    let (gate, names) = (Gate(), Names())
    let reservation = MemoryReservation(0, in: MemoryLedger(), as: .decoding)
    let claim = MemoryClaim(in: reservation) {
      gate.pass()
      return 1
    }
    pool.submit(1, taking: claim) { names.add("a") }
    await gate.waitUntilHeld(1)

    #expect(pool.cancel(1))
    gate.open()
    try await until { pool.isIdle }

    #expect(names.all.isEmpty)
  }

  @Test func priorityOfAJobChangesWhileItIsMeasured() async throws {
    let pool = WorkerPool(threads: 1)
    let (gate, names) = (Gate(), Names())
    let reservation = MemoryReservation(0, in: MemoryLedger(), as: .decoding)
    let claim = MemoryClaim(in: reservation) {
      gate.pass()
      return 1
    }
    pool.submit(1, priority: 3, taking: claim) { names.add("a") }
    await gate.waitUntilHeld(1)
    pool.submit(2, priority: 2) { names.add("b") }

    pool.setPriority(1, of: 1)
    gate.open()
    try await until { pool.isIdle }

    #expect(names.all == "ba")
  }

  @Test func smallImagesOvertakeALargeImageThatDoesNotFit() async throws {
    let world = CrowdedPool(kept: 60 << 20)
    let names = Names()
    world.submit(1, 40 << 20) { _ in names.add("large") }
    try await world.waitUntilAJobWaits()

    for id in 2...4 as ClosedRange<UInt64> { world.submit(id, 1 << 20) { _ in names.add("s") } }
    try await until { names.all.count >= 3 }
    world.kept.end()
    try await until {
      guard names.all.count < 8 else { return true }
      world.clock.advance(by: 0.1)
      return false
    }

    #expect(names.all == "ssslarge")
    #expect(!world.pool.isShortOfMemory)
  }

  @Test func jobCancelledWhileItWaitsForMemoryBlocksNoOtherJob() async throws {
    let ledger = MemoryLedger(budget: 100)
    let holder = CountingHolder()
    holder.count(against: ledger)
    let pool = WorkerPool(threads: 2)
    let gate = Gate()
    let first = MemoryReservation(0, in: ledger, as: .decoding)
    pool.submit(1, priority: 2, taking: MemoryClaim(80, in: first)) {
      gate.pass()
      first.end()
    }
    await gate.waitUntilHeld(1)
    holder.gate.close()
    pool.submit(2, priority: 2, taking: MemoryClaim(80, in: MemoryReservation(0, in: ledger, as: .decoding)))
    {
      Issue.record("a cancelled job ran")
    }
    await holder.gate.waitUntilHeld(1)
    #expect(pool.cancel(2))
    holder.gate.open()

    try await untilCalled { done in
      let reservation = MemoryReservation(0, in: ledger, as: .decoding)
      pool.submit(3, priority: 2, taking: MemoryClaim(20, in: reservation)) { done() }
    }
    gate.open()
  }
}
