import Dispatch
import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// The count of the work that keeps a downloader from being idle, and the callers who wait for its end.
@Suite(.timeLimit(.minutes(5))) struct PendingWorkTests {
  @Test func lastEndTellsWhetherCallersWait() {
    let work = PendingWork()
    #expect(work.isEmpty)
    work.begin(2)
    work.isAwaited = true
    #expect(!work.end() && !work.isEmpty)
    #expect(work.end() && work.isEmpty)
    work.isAwaited = false
    work.begin()
    #expect(!work.end() && work.isEmpty)
  }

  /// Each drain finds what its caller has loaded, and returns although others load, cancel and drain meanwhile.
  @Test func eachDrainReturnsWhileOthersLoadAndDrain() async throws {
    let world = Fixture { $0.queue.rateLimit = nil }
    world.transport.respondToAll { transfer in
      BlockingThread.start { transfer.respond(with: Fixture.body) }
    }
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<6 {
        group.addTask {
          for number in 0..<60 {
            let task = world.downloader.load(request("\(caller)-\(number)", policy: .reload))
            if number % 3 == 2 { task.cancel() }
            await world.downloader.drain()
            #expect(task.isFinished)
          }
        }
      }
    }
    let statistics = world.downloader.statistics
    #expect(statistics.loads.values.reduce(0, +) + statistics.cancellations == 360)
    #expect(statistics.failures == 0 && world.transport.running.isEmpty)
  }

  @Test func callerWhoBeginsToWaitDuringTheLastEndIsNotMissed() {
    for round in 0..<5000 {
      let work = PendingWork()
      work.begin()
      let isSeen = Atomic(false)
      let isIdle = Atomic(false)
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == round % 2 {
          isSeen.store(work.end(), ordering: .relaxed)
        } else {
          work.isAwaited = true
          isIdle.store(work.isEmpty, ordering: .relaxed)
        }
      }
      let isNoticed = isSeen.load(ordering: .relaxed) || isIdle.load(ordering: .relaxed)
      guard isNoticed else {
        Issue.record("round \(round): neither saw the other")
        return
      }
    }
  }
}
