import FoundationEssentials
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Lookups that wait for a slow disk: the network goes ahead, and the disk still serves what the network cannot.
@MainActor @Suite(.timeLimit(.minutes(5))) struct LookupWaitTests {
  private nonisolated static let offline = ImageError.transport(.cannotConnect, message: "offline")

  private func world(_ gate: Gate) -> DiskWorld { DiskWorld(lookupsAreHeldBy: gate) }

  @Test func networkGoesAheadOfLookupsThatWait() async throws {
    let gate = Gate()
    let world = world(gate)
    let tasks = (0..<6).map { world.downloader.load(request("\($0).jpg", host: "\($0).test")) }
    await gate.waitUntilHeld(2)
    #expect(world.transport.transfers.isEmpty)

    world.world.clock.advance(by: LookupLine.deadline)

    #expect(world.transport.transfers.count == 6, "also the loads whose lookup has not begun")
    for transfer in world.transport.transfers { transfer.respond(with: Fixture.body, DiskWorld.minute) }
    for task in tasks { #expect(try await task.response.source == .network) }
    gate.open()
  }

  @Test func slowDiskServesAllLoadsWithoutANetwork() async throws {
    let gate = Gate()
    let world = world(gate)
    for number in 0..<20 { world.store("\(number).jpg", age: number < 10 ? 0 : 100) }
    world.transport.respondToAll { $0.fail(Self.offline) }
    let tasks = (0..<20).map { world.downloader.load(request("\($0).jpg")) }
    await gate.waitUntilHeld(2)

    world.world.clock.advance(by: LookupLine.deadline)
    gate.open()

    for task in tasks { #expect(try await task.response.source == .disk) }
  }

  @Test(
    "loads without a network wait while too many lookups are late",
    arguments: [ImageRequest.CachePolicy.useCache, .cacheOnly])
  func loadsWithoutANetworkWaitWhileTooManyLookupsAreLate(policy: ImageRequest.CachePolicy) async throws {
    let gate = Gate()
    let world = world(gate)
    for number in 0..<20 { world.store("\(number).jpg", age: number < 10 ? 0 : 100) }
    world.transport.respondToAll { $0.fail(Self.offline) }
    var tasks = (0..<19).map { world.downloader.load(request("\($0).jpg", policy: policy)) }
    for count in [2, 4] {
      await gate.waitUntilHeld(count)
      world.world.clock.advance(by: LookupLine.deadline)
    }
    tasks.append(world.downloader.load(request("19.jpg", policy: policy)))
    world.world.clock.advance(by: LookupLine.limit - 3 * LookupLine.deadline)
    gate.open()

    for task in tasks { #expect(try await task.response.source == .disk) }
  }

  @Test func lookupWhoseThreadHasNotBegunServesIfTheServerFails() async throws {
    let world = world(Gate(isOpen: true))
    world.transport.respondToAll { $0.fail(Self.offline) }
    // The thread sleeps after this lookup, and `WakeBatch` delays its wake-up.
    _ = try? await world.downloader.image(for: request("first.jpg"))
    await world.downloader.drain()
    world.store(age: 100)

    var task: ImageTask?
    WakeBatch.run {
      task = world.downloader.load(request())
      world.world.clock.advance(by: LookupLine.deadline)
    }

    #expect(try await task?.response.freshness == .stale(age: 100, reason: Self.offline))
  }

  @Test func hangingDiskFailsLoadsAtTheLimitWithoutANetwork() async throws {
    let gate = Gate()
    let world = world(gate)
    world.transport.respondToAll { $0.fail(Self.offline) }
    let tasks = (0..<8).map { world.downloader.load(request("\($0).jpg")) }
    await gate.waitUntilHeld(2)
    for _ in 0..<2 { world.world.clock.advance(by: LookupLine.deadline) }
    world.world.clock.advance(by: LookupLine.limit)

    for task in tasks { await #expect(throws: Self.offline) { try await task.response } }
    await world.downloader.drain()
    gate.open()
  }

  @Test func status404EndsTheWaitForTheDisk() async throws {
    let gate = Gate()
    let world = world(gate)
    world.store()
    let task = world.downloader.load(request())
    await gate.waitUntilHeld(1)
    world.world.clock.advance(by: LookupLine.deadline)
    (try await world.transfer()).refuse(404)

    await #expect(throws: ImageError.status(404)) { try await task.response }
    gate.open()
  }

  @Test func loadPausedWhileItsLookupWaitsContinuesLater() async throws {
    let gate = Gate()
    let world = world(gate)
    let tasks = (0..<3).map { world.downloader.load(request("\($0).jpg")) }
    await gate.waitUntilHeld(2)
    tasks[2].pause()
    world.world.clock.advance(by: LookupLine.deadline)
    #expect(world.transport.transfers.count == 2)
    tasks[2].resume()
    #expect(world.transport.transfers.count == 3)
    tasks[2].pause()
    tasks[2].priority = .high
    tasks[2].cancel()
    for transfer in world.transport.running { transfer.respond(with: Fixture.body, DiskWorld.minute) }
    for task in tasks[..<2] { #expect(try await task.response.source == .network) }
    await #expect(throws: ImageError.self) { try await tasks[2].response }
    gate.open()
    await world.downloader.drain()
  }

  @Test func suspendedTimeDoesNotCountAgainstTheDisk() async throws {
    let world = world(Gate(isOpen: true))
    world.store()
    world.downloader.isSuspended = true
    let task = world.downloader.load(request())
    world.world.clock.advance(by: 100)
    world.downloader.isSuspended = false

    #expect(try await task.response.source == .disk)
    #expect(world.transport.transfers.isEmpty)
  }

  // MARK: Decisions

  @Test func eachWaitingLookupIsOverdueOnce() {
    var line = LookupLine()
    var queue = DownloadQueue()
    let ids = (1...200).map { FetchID(number: $0) }
    #expect(line.nextChange == nil)
    for id in ids {
      line.enqueue(id, priority: .normal, arrival: queue.nextArrival(at: 0), at: Int64(id.number))
    }
    let first = line.startNext(.fifo, isSuspended: false, at: 200)
    #expect(first == ids[0])
    line.leave(ids[1])
    // A new priority does not restart the wait.
    line.setPriority(.low, of: ids[2], arrival: queue.nextArrival(at: 400))

    let end = Int64(nanosecondsIn: LookupLine.deadline)
    #expect(line.nextChange == end + 3)
    #expect(line.takeOverdue(at: end + 2).isEmpty)
    #expect(line.takeOverdue(at: end + 3) == [ids[2]])
    line.setStopped(true, at: end + 50)
    #expect(line.takeOverdue(at: 10 * end) == Array(ids[3..<50]))
    line.setStopped(false, at: 10 * end)
    #expect(line.takeOverdue(at: 10 * end).isEmpty)
    #expect(line.takeOverdue(at: 20 * end) == Array(ids[50...]))
    #expect(ids[2...].allSatisfy { line.isWaiting($0) && line.isPending($0) })
    line.ended(ids[0])
    #expect(line.nextChange == nil && !line.isPending(ids[0]))
  }
}
