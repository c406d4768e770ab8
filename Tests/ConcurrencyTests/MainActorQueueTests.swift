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

  @MainActor @Test func postedClosuresCanBeRunAheadOfTheMainQueue() async throws {
    let queue = MainActorQueue()
    let numbers = Shared<[Int]>([])
    for number in 0..<3 { queue.post { numbers.withLock { $0.append(number) } } }

    queue.runPosted()
    #expect(numbers.withLock { $0 } == [0, 1, 2])
    // The block of the main queue finds nothing left.
    try await untilCalled { done in queue.post { done() } }

    #expect(numbers.withLock { $0 } == [0, 1, 2])
  }

  @MainActor @Test func closurePostedByAClosureRunsInTheSameCall() {
    let queue = MainActorQueue()
    let names = Shared<[String]>([])
    queue.post {
      names.withLock { $0.append("stored") }
      queue.post { names.withLock { $0.append("delivered") } }
    }

    queue.runPosted()

    #expect(names.withLock { $0 } == ["stored", "delivered"])
  }

  @MainActor @Test func closureThatPostsItselfDoesNotRunForEver() async throws {
    let queue = MainActorQueue()
    let count = Shared(0)
    @MainActor func again() {
      count.withLock { $0 += 1 }
      if count.withLock({ $0 }) < 1000 { queue.post { again() } }
    }
    queue.post { again() }

    queue.runPosted()

    #expect((1..<100).contains(count.withLock { $0 }))
    try await until { count.withLock { $0 } == 1000 }
  }

  @MainActor @Test func closuresKeepTheirOrderIfOneOfThemRunsTheQueue() {
    let queue = MainActorQueue()
    let names = Shared<[String]>([])
    queue.post {
      queue.post { names.withLock { $0.append("third") } }
      queue.runPosted()
      names.withLock { $0.append("first") }
    }
    queue.post { names.withLock { $0.append("second") } }

    queue.runPosted()

    #expect(names.withLock { $0 } == ["first", "second", "third"])
  }
}
