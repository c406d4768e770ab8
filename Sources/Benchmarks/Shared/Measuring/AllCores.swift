import Synchronization
import VitrineConcurrency

/// Calls `body` once with each number below `count`, on one thread per core. Returns when all calls have ended.
func onAllCores(count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  work(count: count, threads: SystemCounters.coreCount, body)
}

/// Calls `body` once with each number below `count`, on `count` threads. Returns when all calls have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  work(count: count, threads: count, body)
}

private func work(count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let work = Work(count: count, body: body)
  let running = (0..<threads).compactMap { _ in try? BlockingThread { work.run() } }
  // If no thread can be created, the calling thread does the work.
  if running.isEmpty { work.run() }
  for thread in running { thread.join() }
}

private final class Work: Sendable {
  private let next = Atomic(0)
  private let count: Int
  private let body: @Sendable (Int) -> Void

  init(count: Int, body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.body = body
  }

  func run() {
    while case let index = next.add(1, ordering: .relaxed).oldValue, index < count { body(index) }
  }
}
