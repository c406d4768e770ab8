import Synchronization
import Testing

@testable import VitrineGraphics

/// The order in which bodies may reserve memory or must wait.
@Suite(.timeLimit(.minutes(5))) struct BodyQueueTests {
  @Test func oldestWaitingBodyMayExceedTheLimitUntilItEnds() {
    var line = BodyQueue()

    line.wait(2, for: 20)
    line.wait(1, for: 10)
    #expect(line.candidates.map(\.body) == [2, 1], "the oldest body keeps the right to exceed")
    #expect(line.candidates.map(\.mayExceed) == [true, false])
    line.stopWaiting(2)
    line.wait(3, for: 30)
    #expect(line.candidates.map(\.body) == [1, 3])
    #expect(line.exceeding == 2, "a body that no longer waits keeps the right until it ends")
    line.end(2)

    #expect(line.exceeding == 1)
    #expect(line.candidates.first == .init(body: 1, bytes: 10, mayExceed: true))
  }

  @Test func lineIsEmptyAfterItsLastBodyEnds() {
    var line = BodyQueue()
    line.wait(1, for: 10)

    line.end(1)

    #expect(!line.isWaiting && line.exceeding == nil && line.candidates.isEmpty)
    let hasWaited = line.stopWaiting(1)
    #expect(!hasWaited)
  }

  // MARK: In a ledger

  /// A scheduler that runs closures when the test calls it.
  private final class Scheduled: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])

    func add(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

    func run() {
      while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
    }
  }

  private final class World: Sendable {
    let ledger: MemoryLedger
    private let scheduled = Scheduled()
    private let resumed = Mutex<[Int]>([])

    init(budget: Int) { ledger = MemoryLedger(budget: budget) }

    func body() -> ArrivingBody {
      ArrivingBody(MemoryReservation(0, in: ledger, as: .bodies), in: ledger) { [scheduled] in
        scheduled.add($0)
      }
    }

    func reserve(_ bytes: Int, for body: ArrivingBody, name: Int = 0) -> Bool {
      body.reserve(bytes) { [self] in resumed.withLock { $0.append(name) } }
    }

    /// Returns the numbers of the bodies that have been resumed since the last call.
    func takeResumed() -> [Int] {
      scheduled.run()
      return resumed.withLock { resumed in
        defer { resumed = [] }
        return resumed
      }
    }
  }

  @Test func bodiesReserveHalfTheBudgetAndOneBodyMayExceedIt() {
    let world = World(budget: 1000)
    let (first, second, third) = (world.body(), world.body(), world.body())

    #expect(world.reserve(300, for: first))
    #expect(world.reserve(200, for: second))
    #expect(world.reserve(300, for: second), "one body may exceed the share")
    #expect(!world.reserve(301, for: first, name: 1))
    #expect(!world.reserve(1, for: third, name: 3))
    #expect(world.takeResumed().isEmpty)
    #expect(world.ledger.usage.bodies == 600)

    second.reservation.end()
    second.end()

    #expect(world.takeResumed() == [1, 3])
    #expect(world.ledger.usage.bodies == 302)
    #expect(world.reserve(301, for: first), "the bytes that the body waited for are reserved already")
    #expect(world.ledger.usage.bodies == 302)
  }

  @Test func exceedingBodyWaitsOnlyForWorkThatReleasesMemory() {
    let world = World(budget: 1000)
    let work = world.ledger.beginWork()
    let decoded = MemoryReservation(900, in: world.ledger, as: .decoding)
    let body = world.body()

    #expect(!world.reserve(200, for: body, name: 1))
    decoded.resize(to: 850)
    #expect(world.takeResumed().isEmpty)
    work.end()
    #expect(world.takeResumed() == [1], "no other work will release memory")
    #expect(world.ledger.usage.total == 1050)

    let other = World(budget: 1000)
    let ending = other.ledger.beginWork()
    let pixels = MemoryReservation(900, in: other.ledger, as: .decoding)
    let waiting = other.body()
    #expect(!other.reserve(200, for: waiting, name: 1))
    pixels.resize(to: 100)
    #expect(other.takeResumed() == [1])
    #expect(other.ledger.peak <= 1000)
    ending.end()
  }

  @Test func bodyThatEndsWhileWaitingIsNotResumed() {
    let world = World(budget: 10)
    let (first, second, third) = (world.body(), world.body(), world.body())
    #expect(world.reserve(100, for: first))
    #expect(!world.reserve(5, for: second, name: 2))
    #expect(!world.reserve(5, for: third, name: 3))

    second.end()
    first.reservation.end()
    first.end()

    #expect(world.takeResumed() == [3])
    #expect(world.ledger.usage.bodies == 5)
    third.reservation.end()
    third.end()
    #expect(!world.ledger.isBodyWaiting)
  }

  /// A cache that evicts as many bytes as requested.
  private final class EvictingHolder: MemoryHolder {
    let reservation: MemoryReservation
    init(_ reservation: MemoryReservation) { self.reservation = reservation }
    func count(against ledger: MemoryLedger) {}
    func release(bytes: Int) { reservation.resize(to: max(0, reservation.bytes - bytes)) }
    func handlePressure(_ pressure: MemoryPressure) {}
  }

  @Test func cacheIsEvictedToMakeRoomForABody() {
    let world = World(budget: 1000)
    let cache = EvictingHolder(MemoryReservation(1000, in: world.ledger, as: .cache))
    world.ledger.register(cache, as: .cache)
    let body = world.body()

    #expect(world.reserve(400, for: body))

    #expect(cache.reservation.bytes == 600)
    #expect(world.ledger.peak == 1000)
  }

  @Test func bodiesDoNotEvictTheCacheBeyondTheirLimit() {
    let world = World(budget: 1000)
    let cache = EvictingHolder(MemoryReservation(1000, in: world.ledger, as: .cache))
    world.ledger.register(cache, as: .cache)
    let (exceeding, second, third) = (world.body(), world.body(), world.body())

    #expect(world.reserve(600, for: exceeding), "one body may exceed the limit")
    #expect(cache.reservation.bytes == 400)
    #expect(!world.reserve(100, for: second, name: 2))
    #expect(!world.reserve(300, for: third, name: 3))
    #expect(world.takeResumed().isEmpty)
    #expect(cache.reservation.bytes == 400, "bodies that wait evict nothing")

    exceeding.reservation.end()
    exceeding.end()
    #expect(world.takeResumed() == [2, 3])
    #expect(world.ledger.usage.bodies == 400)
    #expect(cache.reservation.bytes == 400, "the ended body has left enough room")
  }
}
