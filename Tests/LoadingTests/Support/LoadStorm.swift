import Synchronization
import Testing
import VitrineConcurrency
import VitrineTesting

@testable import VitrineLoading

/// Callers on several threads that start, change and cancel loads in a random order, repeatable by seed.
struct LoadStorm: Sendable {
  let seed: Int
  let world: Fixture
  /// The maximum time until all loads have ended, in seconds of the world's clock after the last load was started.
  let timeoutSeconds: Int
  private let threads = 3
  private let loadsPerThread = 150

  init(seed: Int, in world: Fixture, timeoutSeconds: Int) {
    self.seed = seed
    self.world = world
    self.timeoutSeconds = timeoutSeconds
  }

  /// Runs the storm, and returns true if all loads have ended. Expects that each load completes once.
  ///
  /// - Parameters:
  ///   - disturb: Changes one of a caller's loads, for example pauses or cancels it.
  ///   - act: Lets the server answer a transfer, successfully or not.
  ///   - respondToAll: Lets the server answer all running transfers.
  func run(
    loading anyRequest: @escaping @Sendable (inout SplitMix) -> ImageRequest,
    disturb: @escaping @Sendable (ImageTask, inout SplitMix) -> Void,
    act: @escaping @Sendable (inout SplitMix) -> Void, respondToAll: () -> Void
  ) async throws -> Bool {
    let recorder = await MainActor.run { Recorder<Int>() }
    let callers = Callers(count: threads)
    for thread in 0..<threads {
      BlockingThread.start {
        var chance = SplitMix(state: UInt64(seed * 100 + thread))
        var tasks: [ImageTask] = []
        for load in 0..<loadsPerThread {
          let number = thread * loadsPerThread + load
          tasks.append(
            world.downloader.load(anyRequest(&chance), completion: { _ in recorder.add(number) }))
          for _ in 0..<chance.next(6) { disturb(tasks[chance.next(tasks.count)], &chance) }
          if chance.next(3) == 0 { act(&chance) }
        }
        callers.end(tasks)
      }
    }

    var chance = SplitMix(state: UInt64(seed))
    try await until {
      act(&chance)
      return !callers.areStartingLoads
    }
    world.downloader.isSuspended = false
    for task in callers.tasks { task.resume() }
    var turns = 0
    while world.downloader.isRunning, turns < timeoutSeconds {
      respondToAll()
      world.clock.advance(by: 1)
      await Task.yield()
      turns += 1
    }
    #expect(!world.downloader.isRunning, "\(world.downloader.waitingDownloadCount) wait")
    guard !world.downloader.isRunning else { return false }
    let count = threads * loadsPerThread
    let numbers = try await recorder.wait(for: count)
    #expect(numbers.count == count && Set(numbers).count == count)
    return true
  }

  private final class Callers: Sendable {
    private let state: Mutex<(startingCallers: Int, tasks: [ImageTask])>

    init(count: Int) { state = Mutex((count, [])) }

    var areStartingLoads: Bool { state.withLock { $0.startingCallers > 0 } }
    var tasks: [ImageTask] { state.withLock { $0.tasks } }

    func end(_ tasks: [ImageTask]) {
      state.withLock { state in
        state.startingCallers -= 1
        state.tasks += tasks
      }
    }
  }
}
