import Callbacks
import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

/// Waiting for a change of the state of a lock.
@Suite(.timeLimit(.minutes(5))) struct ConditionLockTests {
  @Test func waitingThreadTakesTheValueThatAnotherThreadSets() async throws {
    let lock = ConditionLock<Int?>(nil)
    let taken = Atomic(0)
    try await untilCalled { done in
      BlockingThread.start {
        taken.store(lock.wait { $0.take() }, ordering: .relaxed)
        done()
      }
      lock.withLock { $0 = 7 }
    }

    let value = taken.load(ordering: .relaxed)
    #expect(value == 7)
    #expect(lock.withLock { $0 } == nil)
  }

  @Test func wokenThreadWakesAnotherWhileThereIsMore() async {
    let lock = ConditionLock(0)
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<3 {
      BlockingThread.start {
        lock.wait { count -> Void? in
          guard count > 0 else { return nil }
          count -= 1
          return ()
        } wakingOneIf: {
          $0 > 0
        }
        continuation.yield()
      }
    }

    lock.withLock(waking: .one) { $0 = 3 }
    var ended = 0
    for await _ in ends {
      ended += 1
      if ended == 3 { break }
    }

    #expect(lock.withLock { $0 } == 0)
  }

  @Test func waitChecksAgainAfterTheTimeout() async throws {
    let lock = ConditionLock(0)
    try await untilCalled { done in
      BlockingThread.start {
        lock.wait { checks -> Void? in
          checks += 1
          return checks == 3 ? () : nil
        } timeout: { _ in
          1_000_000
        }
        done()
      }
    }

    #expect(lock.withLock { $0 } == 3)
  }
}
