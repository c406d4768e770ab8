import Callbacks
import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

/// The queue of closures for the main actor.
@Suite(.timeLimit(.minutes(5))) struct MainActorQueueTests {
  @Test func closuresRunInTheOrderOfPosting() async throws {
    let queue = MainActorQueue()
    let numbers = Shared<[Int]>([])
    try await untilCalled { done in
      for number in 0..<100 { queue.post { numbers.withLock { $0.append(number) } } }
      queue.post { done() }
    }

    #expect(numbers.withLock { $0 } == Array(0..<100))
  }

  @MainActor @Test func closurePostedOnTheMainActorRunsLater() async throws {
    let queue = MainActorQueue()
    let hasRun = Atomic(false)
    try await untilCalled { done in
      queue.post {
        hasRun.store(true, ordering: .relaxed)
        done()
      }
      let isEarly = hasRun.load(ordering: .relaxed)
      #expect(!isEarly)
    }

    let ran = hasRun.load(ordering: .relaxed)
    #expect(ran)
  }
}
