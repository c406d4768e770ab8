import Synchronization
import Testing
import VitrineConcurrency

/// Threads that are joined after they were told to end.
@Suite(.timeLimit(.minutes(5))) struct EndingThreadsTests {
  private let threads = EndingThreads()
  private static let minute: Int64 = 60_000_000_000

  /// Starts a thread that runs until `gate` is true.
  private func thread(until gate: ConditionLock<Bool>, body: @escaping @Sendable () -> Void = {}) throws
    -> BlockingThread
  {
    try BlockingThread { [threads] in
      _ = gate.wait { $0 ? true : nil }
      body()
      threads.joinPrevious()
    }
  }

  @Test func allThreadsAreJoined() throws {
    let ended = Mutex(0)

    for index in 0..<20 {
      let gate = ConditionLock(false)
      let thread = try thread(until: gate) { ended.withLock { $0 += 1 } }
      if index.isMultiple(of: 5) {
        threads.endAndJoin(thread) { gate.withLock { $0 = true } }
      } else {
        threads.end(thread) { gate.withLock { $0 = true } }
      }
    }

    #expect(threads.joinAll(within: Self.minute))
    #expect(threads.count == 0)
    #expect(ended.withLock { $0 } == 20)
  }

  @Test func waitIsBounded() throws {
    let gate = ConditionLock(false)

    try threads.end(thread(until: gate)) {}

    #expect(!threads.joinAll(within: 0))
    #expect(threads.count == 1)
    gate.withLock { $0 = true }
    #expect(threads.joinAll(within: Self.minute))
  }

  @Test func threadDoesNotWaitForItself() throws {
    let gate = ConditionLock(false)
    let result = Mutex<Bool?>(nil)
    let thread = try thread(until: gate) { [threads] in
      let hasJoined = threads.joinAll(within: Self.minute)
      result.withLock { $0 = hasJoined }
    }

    threads.end(thread) { gate.withLock { $0 = true } }

    #expect(threads.joinAll(within: Self.minute))
    #expect(result.withLock { $0 } == true)
  }
}
