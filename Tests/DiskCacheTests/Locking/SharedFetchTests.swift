import Foundation
import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Several downloaders with caches of their own on one folder, as in several processes.
@Suite(.timeLimit(.minutes(5))) struct SharedFetchTests {
  private let fixture = DiskFixture()

  private func requests(_ processes: [CacheProcess]) -> Int {
    processes.reduce(0) { $0 + $1.transport.transfers.count }
  }

  /// Starts to load one image in each process. Returns when all of them wait, and one of them has sent a request.
  private func startLoads(
    in processes: [CacheProcess]
  ) async throws -> (tasks: [ImageTask], fetching: CacheProcess) {
    let tasks = processes.map { $0.load() }
    try await until { requests(processes) > 0 && !processes.contains(where: \.isBusy) }
    return (tasks, try #require(processes.first { !$0.transport.transfers.isEmpty }))
  }

  @Test("processes that load one image at the same time send one request", arguments: [2, 8])
  func oneRequestIsSent(count: Int) async throws {
    let processes = (0..<count).map { _ in CacheProcess(fixture) }
    let (tasks, fetching) = try await startLoads(in: processes)

    fetching.transport.transfers[0].respond(with: encodedImage, freshForAMinute)
    try await fixture.advance(processes) { tasks.allSatisfy(\.isFinished) }

    var sources: [ImageResponse.Source] = []
    for task in tasks { sources.append(try await task.response.source) }
    #expect(sources.count { $0 == .disk } == count - 1)
    #expect(requests(processes) == 1)
    for process in processes { await process.downloader.drain() }
  }

  @Test("a server that takes long for its first byte is asked once", arguments: [2, 8])
  func slowServerIsAskedOnce(count: Int) async throws {
    let processes = (0..<count).map { _ in CacheProcess(fixture) }
    let (tasks, fetching) = try await startLoads(in: processes)

    try await fixture.advance(processes) { Double(fixture.clock.now) / 1e9 > 3 * FetchLocks.patience }
    #expect(requests(processes) == 1)
    fetching.transport.transfers[0].respond(with: encodedImage, freshForAMinute)
    try await fixture.advance(processes) { tasks.allSatisfy(\.isFinished) }

    for task in tasks { _ = try await task.response }
    #expect(requests(processes) == 1)
    for process in processes { await process.downloader.drain() }
  }

  @Test("processes do not wait one after another for a server that hangs")
  func serverThatHangsDelaysProcessesOnce() async throws {
    let processes = (0..<4).map { _ in CacheProcess(fixture) }
    let (tasks, first) = try await startLoads(in: processes)
    try await fixture.advance(processes) { fixture.clock.now > 14_000_000_000 }
    let failed = fixture.clock.now

    first.transport.transfers[0].fail(.timedOut(.stall(seconds: 15)))
    try await fixture.advance(processes) { requests(processes) == 4 }

    #expect(fixture.clock.now.seconds(since: failed) < FetchLocks.patience + 2)
    for process in processes { process.transport.transfers[0].fail(.status(503)) }
    for task in tasks { await #expect(throws: ImageError.self) { try await task.response } }
    for process in processes { await process.downloader.drain() }
  }

  @Test func manyImagesAreSharedBetweenProcesses() async throws {
    let processes = (0..<3).map { _ in CacheProcess(fixture) }
    for process in processes {
      process.transport.respondToAll { $0.respond(with: encodedImage, freshForAMinute) }
    }
    let tasks = processes.flatMap { process in (0..<40).map { process.load("\($0).jpg") } }

    try await fixture.advance(processes) { tasks.allSatisfy(\.isFinished) }

    for task in tasks { _ = try await task.response }
    #expect(requests(processes) == 40)
    for process in processes { await process.downloader.drain() }
  }

  @Test func failureOfOneProcessIsNotThatOfAnother() async throws {
    let (one, other) = (CacheProcess(fixture), CacheProcess(fixture))
    let failing = one.load()
    let transfer = try await one.transport.transfer(1)
    let task = other.load()
    try await fixture.advance([one, other]) { fixture.clock.now > 300_000_000 }
    #expect(other.transport.transfers.isEmpty)

    transfer.fail(.status(503))
    try await fixture.advance([one, other]) { !other.transport.transfers.isEmpty }

    other.transport.transfers[0].respond(with: encodedImage, freshForAMinute)
    #expect(try await task.response.source == .network)
    await #expect(throws: ImageError.status(503)) { try await failing.response }
    for process in [one, other] { await process.downloader.drain() }
  }

  @Test func cancelledFetchIsTakenOver() async throws {
    let (one, other) = (CacheProcess(fixture), CacheProcess(fixture))
    let cancelled = one.load()
    _ = try await one.transport.transfer(1)
    let task = other.load()
    cancelled.cancel()
    try await fixture.advance([one, other]) { !other.transport.transfers.isEmpty }
    other.transport.transfers[0].respond(with: encodedImage, freshForAMinute)
    #expect(try await task.response.source == .network)
    for process in [one, other] { await process.downloader.drain() }
  }

  @Test func staleImageIsRevalidatedOnce() async throws {
    let then = fixture.wallClock.withLock { $0 } - 1000
    let stored = StoredResponse(
      response: TransportResponse(url: url("a.jpg"), status: 200, headers: freshForAMinute),
      body: encodedImage, requested: then, received: then)
    fixture.cache().store(stored, for: identity("a.jpg"))
    let (one, other) = (CacheProcess(fixture), CacheProcess(fixture))
    let first = one.load()
    let transfer = try await one.transport.transfer(1)
    #expect(transfer.request.headers["If-None-Match"] == "\"one\"")
    let second = other.load()
    // Shown although another process asks the server.
    try await fixture.advance([one, other]) { second.isFinished }
    #expect(try await second.response.source == .disk)

    transfer.respond(status: 304, headers: freshForAMinute)
    transfer.finish()
    _ = try await first.response
    try await fixture.advance([one, other]) { !other.downloader.isRunning }

    #expect(other.transport.transfers.isEmpty)
    for process in [one, other] { await process.downloader.drain() }
  }

  @Test func processThatStopsDoesNotBlockOthersForEver() async throws {
    let holder = fixture.cache()
    guard case .acquired(let token, _)? = holder.fetchLock(for: identity("a.jpg")) else {
      Issue.record("no lock")
      return
    }
    let process = CacheProcess(fixture)
    let task = process.load()
    try await fixture.advance([process]) { !process.transport.transfers.isEmpty }
    let waited = Double(fixture.clock.now) / 1e9
    #expect(waited >= FetchLocks.patience && waited < FetchLocks.patience + 1)
    process.transport.transfers[0].respond(with: encodedImage, freshForAMinute)
    #expect(try await task.response.source == .network)
    await process.downloader.drain()
    token.release()
  }

  @Test func readersDoNotWaitForWriters() async throws {
    let holder = fixture.cache()
    let now = fixture.wallClock.withLock { $0 }
    let stored = StoredResponse(
      response: TransportResponse(url: url("a.jpg"), status: 200, headers: freshForAMinute),
      body: encodedImage, requested: now, received: now)
    holder.store(stored, for: identity("a.jpg"))
    let lock = holder.fetchLock(for: identity("a.jpg"))

    let process = CacheProcess(fixture)
    #expect(try await process.load().response.source == .disk)

    withExtendedLifetime((lock, process)) {}
  }

  @Test(
    "a disk that refuses locks or writing delays no load and sends a request for each process",
    arguments: [FaultySystem.Call.open, .lockRange, .makeFolder, .status])
  func diskThatRefusesLocksDelaysNoLoad(call: FaultySystem.Call) async throws {
    for error in [EROFS, ENOSPC, ENOLCK, EIO] {
      let fixture = DiskFixture()
      let system = FaultySystem()
      system.fail(call, number: FaultySystem.always, with: .error(error))
      let processes = (0..<2).map { _ in CacheProcess(fixture, system: system) }
      for process in processes {
        process.transport.respondToAll { $0.respond(with: encodedImage, freshForAMinute) }
      }
      for process in processes { #expect(try await process.load().response.image.pixelWidth == 64) }
      for process in processes { await process.downloader.drain() }
      #expect(fixture.clock.now == 0, "no load has waited")
      #expect(system.openCount == 0)
    }
  }

  @Test func lockThatHangsDelaysNoTransferForLong() async throws {
    let (system, gate) = (FaultySystem(), Gate())
    defer { gate.open() }
    let process = CacheProcess(fixture, system: system)
    system.fail(.lockRange, with: .hang(gate))
    let task = process.load()
    await gate.waitUntilHeld(1)
    #expect(process.transport.transfers.isEmpty)
    fixture.clock.advance(by: FetchLocks.answerLimit)
    try await process.transport.transfer(1).respond(with: encodedImage, freshForAMinute)
    #expect(try await task.response.source == .network)
    gate.open()
    await process.downloader.drain()
    #expect(system.openCount == 0)
  }
}
