import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

/// Threads for work that blocks.
@Suite(.timeLimit(.minutes(5))) struct BlockingThreadTests {
  @Test func joinReturnsAfterTheBody() throws {
    let hasRun = Atomic(false)

    let thread = try BlockingThread { hasRun.store(true, ordering: .relaxed) }
    thread.join()

    let ran = hasRun.load(ordering: .relaxed)
    #expect(ran)
  }

  @Test func threadBlocksSignalsExceptThoseOfFaults() throws {
    let blocked = Mutex<[Int32]>([])
    let faults = Mutex<[Int32]>([])

    let thread = try BlockingThread {
      var signals = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &signals)
      blocked.withLock { $0 = [SIGINT, SIGTERM, SIGPIPE].filter { sigismember(&signals, $0) == 1 } }
      faults.withLock { $0 = [SIGSEGV, SIGABRT].filter { sigismember(&signals, $0) == 1 } }
    }
    thread.join()

    #expect(blocked.withLock { $0 } == [SIGINT, SIGTERM, SIGPIPE])
    #expect(faults.withLock { $0.isEmpty })
  }

  @Test func threadIsCurrentOnlyOnItself() throws {
    let threads = ConditionLock<BlockingThread?>(nil)
    let isCurrent = Atomic(false)

    let thread = try BlockingThread { isCurrent.store(threads.wait { $0 }.isCurrent, ordering: .relaxed) }
    threads.withLock { $0 = thread }
    thread.join()

    let wasCurrent = isCurrent.load(ordering: .relaxed)
    #expect(wasCurrent)
    #expect(!thread.isCurrent)
  }
}
