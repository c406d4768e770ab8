import Synchronization
import Testing
import VitrineGraphics

@Suite(.timeLimit(.minutes(5))) struct MemoryLedgerTests {
  /// A holder that evicts the bytes it is asked for and records the calls.
  private final class Holder: MemoryHolder {
    let account: MemoryLedger.Account
    private let ledger: MemoryLedger
    private let bytes: Mutex<Int>
    let requests = Mutex<[Int]>([])
    let pressures = Mutex<[MemoryPressure]>([])

    init(_ account: MemoryLedger.Account, _ bytes: Int, in ledger: MemoryLedger) {
      self.account = account
      self.ledger = ledger
      self.bytes = Mutex(bytes)
      count(against: ledger)
    }

    func count(against ledger: MemoryLedger) {
      ledger.register(self, as: account)
      ledger.add(bytes.withLock { $0 }, to: account)
    }

    func release(bytes requested: Int) {
      requests.withLock { $0.append(requested) }
      let released = bytes.withLock { bytes in
        let released = min(bytes, requested)
        bytes -= released
        return released
      }
      ledger.add(-released, to: account)
    }

    func handlePressure(_ pressure: MemoryPressure) { pressures.withLock { $0.append(pressure) } }
  }

  @Test func sparedHolderIsNotAskedToEvict() {
    let ledger = MemoryLedger(budget: 100)
    let (spared, other) = (Holder(.cache, 50, in: ledger), Holder(.textures, 40, in: ledger))

    ledger.evict(toFit: 30, sparing: spared)

    #expect(spared.requests.withLock { $0.isEmpty } && other.requests.withLock { $0 } == [20])
  }

  @Test func reservationIsSplitAndJoinedWithoutAChangeOfTheTotal() {
    let ledger = MemoryLedger(budget: 100)
    let whole = MemoryReservation(90, in: ledger, as: .decoding)

    let part = whole.split(30)
    #expect(whole.bytes == 60 && part.bytes == 30 && ledger.usage.decoding == 90 && ledger.peak == 90)

    part.takeOver(whole)
    #expect(whole.bytes == 0 && part.bytes == 90 && ledger.usage.decoding == 90 && ledger.peak == 90)
    #expect(part.split(.max).bytes == 90 && part.split(-1).bytes == 0)
    #expect(ledger.usage.total == 0, "released with the parts")
  }

  @Test func usageIsTheSumOfAllAccounts() {
    let ledger = MemoryLedger(budget: 1000)
    ledger.add(100, to: .cache)
    ledger.add(20, to: .textures)
    ledger.add(3, to: .bodies)
    ledger.add(4, to: .decoding)
    ledger.add(-1, to: .decoding)

    #expect(ledger.usage.cache == 100)
    #expect(ledger.usage.textures == 20)
    #expect(ledger.usage.bodies == 3)
    #expect(ledger.usage.decoding == 3)
    #expect(ledger.usage.total == 126)
    #expect(ledger.peak == 127)
  }

  /// A release may be counted before the reservation that another thread makes.
  @Test(arguments: [Int.max, 100]) func reservationSucceedsWhileTheUsageIsNegative(budget: Int) {
    let ledger = MemoryLedger(budget: budget)
    ledger.add(-1, to: .cache)
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)

    #expect(reservation.reserve(100, force: false))
    ledger.evict(toFit: .max)
    ledger.add(1, to: .cache)
    #expect(ledger.usage.total == 100)
  }

  @Test func cacheIsEvictedBeforeTexturesByTheMissingBytesOnly() {
    let ledger = MemoryLedger(budget: 100)
    let textures = Holder(.textures, 50, in: ledger)
    let cache = Holder(.cache, 30, in: ledger)

    ledger.add(30, to: .bodies)
    #expect(cache.requests.withLock { $0 } == [10])
    #expect(textures.requests.withLock { $0 }.isEmpty)

    ledger.add(40, to: .bodies)
    #expect(cache.requests.withLock { $0 } == [10, 40])
    #expect(textures.requests.withLock { $0 } == [20])
    #expect(ledger.usage.total == 100)
  }

  @Test func holdersAreNotAskedWithinTheBudgetOrWithoutABudget() {
    for ledger in [MemoryLedger(budget: 100), MemoryLedger()] {
      let cache = Holder(.cache, 50, in: ledger)
      ledger.add(50, to: .bodies)
      ledger.add(-50, to: .bodies)
      #expect(cache.requests.withLock { $0 }.isEmpty)
    }
  }

  @Test func reservationMustFitUnlessForced() {
    let ledger = MemoryLedger(budget: 100)
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)

    #expect(reservation.reserve(60, force: false))
    #expect(!reservation.reserve(41, force: false))
    #expect(reservation.reserve(40, force: false))
    #expect(reservation.reserve(1, force: true))
    #expect(!reservation.reserve(1, force: false))
    #expect(ledger.usage.decoding == 101)
  }

  @Test func reservationCountsUntilItEndsOrIsDeinitialized() {
    let ledger = MemoryLedger(budget: 100)
    do {
      let reservation = MemoryReservation(10, in: ledger, as: .bodies)
      reservation.grow(by: 5)
      #expect(ledger.usage.bodies == 15)
      reservation.end()
      reservation.end()
      #expect(ledger.usage.bodies == 0)
      reservation.grow(by: 7)
    }
    #expect(ledger.usage.bodies == 0)
  }

  @Test("Extreme budgets and sums are handled safely", arguments: [Int.min, -1, 0, 1, Int.max])
  func extremeNumbersAreHandledSafely(number: Int) {
    let ledger = MemoryLedger(budget: number)
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)
    _ = reservation.reserve(.max, force: true)
    _ = reservation.reserve(.max, force: true)
    ledger.add(number, to: .cache)
    ledger.evict(toFit: .max)
    reservation.end()

    #expect(ledger.budget == max(0, number))
  }

  @Test func holderIsReferencedWeaklyAndAskedOnce() {
    let ledger = MemoryLedger(budget: 10)
    weak var weakHolder: Holder?
    do {
      let cache = Holder(.cache, 5, in: ledger)
      ledger.register(cache, as: .cache)
      weakHolder = cache
      ledger.add(10, to: .bodies)
      #expect(cache.requests.withLock { $0 } == [5])
    }
    #expect(weakHolder == nil)
    ledger.add(10, to: .bodies)
  }

  @Test func holderRegisteredTwiceIsNotifiedOnce() {
    let ledger = MemoryLedger()
    let cache = Holder(.cache, 5, in: ledger)
    ledger.register(cache, as: .cache)

    ledger.handlePressure(.warning)

    #expect(cache.pressures.withLock { $0 } == [.warning])
  }

  @Test func peakIncludesForcedReservations() {
    let ledger = MemoryLedger(budget: 100)
    let reservation = MemoryReservation(0, in: ledger, as: .decoding)

    #expect(reservation.reserve(60, force: false))
    #expect(reservation.reserve(90, force: true))
    reservation.end()

    #expect(ledger.peak == 150)
    #expect(ledger.usage.decoding == 0)
    #expect(ledger.usage.total == 0)
  }

  @Test func pressureCheckIsCreatedOnceAndRunsEachTime() {
    let ledger = MemoryLedger()
    let made = Mutex(0)
    let checks = Mutex(0)
    func make() -> @Sendable () -> Void {
      made.withLock { $0 += 1 }
      return { checks.withLock { $0 += 1 } }
    }

    ledger.setPressureCheck(make)
    ledger.setPressureCheck(make)
    ledger.checkPressure()
    ledger.checkPressure()

    #expect(made.withLock { $0 } == 1)
    #expect(checks.withLock { $0 } == 2)
  }

  @Test func everyHolderIsNotifiedOfPressure() {
    let ledger = MemoryLedger()
    let holders = [Holder(.cache, 5, in: ledger), Holder(.textures, 5, in: ledger)]

    ledger.handlePressure(.warning)
    ledger.handlePressure(.critical)

    for holder in holders { #expect(holder.pressures.withLock { $0 } == [.warning, .critical]) }
  }

  @Test func concurrentReservationsKeepTheSumConsistent() async {
    let ledger = MemoryLedger(budget: 500)
    let cache = Holder(.cache, 400, in: ledger)
    await withDiscardingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for step in 1...500 {
            let reservation = MemoryReservation(step, in: ledger, as: .bodies)
            if reservation.reserve(step, force: step % 7 == 0) { reservation.grow(by: 1) }
          }
        }
      }
    }

    #expect(ledger.usage.bodies == 0)
    #expect(ledger.usage.total == ledger.usage.cache)
    withExtendedLifetime(cache) {}
  }
}
