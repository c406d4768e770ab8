import Foundation
import Glibc
import Synchronization
import Testing
import VitrineTesting

@testable import VitrineDiskCache
@testable import VitrineLoading

/// Processes that hold a fetch lock or write the beginning of a response, and are stopped or killed.
///
/// `VITRINE_KILLS=100 ./run.sh test KilledHolder` kills each 100 times; the default is 5.
@Suite(.timeLimit(.minutes(10)), .serialized) struct KilledHolderTests {
  private let fixture = DiskFixture()

  private static let kills =
    ProcessInfo.processInfo.environment["VITRINE_KILLS"].flatMap { Int($0) }.map { min(max(1, $0), 100_000) }
    ?? 5

  /// Starts a process that holds the lock of `a.jpg`, and waits until it does.
  private func startHolder() throws -> ProbeProcess {
    let process = try ProbeProcess(["lock", fixture.folder], piping: STDOUT_FILENO)
    var bytes = [UInt8](repeating: 0, count: 16)
    let isHeld =
      process.hasOutput(before: .now + .seconds(60)) && read(process.output, &bytes, bytes.count) > 0
    if !isHeld {
      Glibc.kill(process.id, SIGKILL)
      _ = process.end()
    }
    try #require(isHeld, "the process has not taken the lock")
    return process
  }

  private func kill(_ process: ProbeProcess) {
    Glibc.kill(process.id, SIGKILL)
    #expect(process.end() & 0x7F == SIGKILL)
  }

  @Test("a killed process leaves no lock behind")
  func killedProcessLeavesNoLock() throws {
    let cache = fixture.cache()
    for round in 0..<Self.kills {
      let process = try startHolder()
      #expect(cache.fetchProgress(for: identity("a.jpg")) != nil, "round \(round)")
      kill(process)
      guard case .acquired? = cache.fetchLock(for: identity("a.jpg")) else {
        Issue.record("round \(round): the lock is still held")
        return
      }
    }
  }

  @Test func loadTakesOverTheFetchOfAKilledProcess() async throws {
    let process = try startHolder()
    let run = CacheProcess(fixture)
    let task = run.load()
    try await fixture.advance([run]) { fixture.clock.now > 1_000_000_000 }
    #expect(run.transport.transfers.isEmpty)

    kill(process)
    try await fixture.advance([run]) { !run.transport.transfers.isEmpty }

    #expect(Double(fixture.clock.now) / 1e9 < FetchLocks.patience, "the kill ended the wait")
    run.transport.transfers[0].respond(with: encodedImage, freshForAMinute)
    #expect(try await task.response.source == .network)
    await run.downloader.drain()
  }

  @Test func stoppedProcessDelaysALoadForALimitedTime() async throws {
    let process = try startHolder()
    Glibc.kill(process.id, SIGSTOP)
    let run = CacheProcess(fixture)
    let task = run.load()

    try await fixture.advance([run]) { !run.transport.transfers.isEmpty }

    #expect(Double(fixture.clock.now) / 1e9 < FetchLocks.patience + 1)
    run.transport.transfers[0].respond(with: encodedImage, freshForAMinute)
    #expect(try await task.response.source == .network)
    await run.downloader.drain()
    kill(process)
  }

  @Test("the beginning of a response that a killed process has written is whole or missing")
  func killedWriterLeavesNoDamagedBeginning() throws {
    for round in 0..<Self.kills {
      let process = try ProbeProcess(["break", fixture.folder], piping: STDOUT_FILENO)
      var bytes = [UInt8](repeating: 0, count: 4096)
      for _ in 0..<Int.random(in: 1...8) {
        guard process.hasOutput(before: .now + .seconds(60)) else { break }
        _ = read(process.output, &bytes, bytes.count)
      }
      kill(process)
      // The files have dates of the system's clock.
      fixture.wallClock.withLock { $0 = Date().timeIntervalSince1970 }
      let found = fixture.cache().incompleteResponse(for: identity("a.jpg")) { _ in }
      let body = try #require(found?.body, "round \(round)")
      #expect(body.count >= 70_000, "round \(round)")
      #expect(body.indices.allSatisfy { body[$0] == UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      let leftovers = fixture.everything.filter { $0.contains(TemporaryFile.prefix) }
      #expect(leftovers.isEmpty, "round \(round)")
    }
  }
}
