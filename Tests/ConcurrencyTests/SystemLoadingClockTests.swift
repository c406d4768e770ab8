import Callbacks
import Testing
import VitrineConcurrency
import VitrineLoading
import VitrineTesting

/// The system clock and its timers.
@Suite(.timeLimit(.minutes(5))) struct SystemLoadingClockTests {
  @Test func timersFireInOrderAndNotEarly() async {
    let clock = SystemLoadingClock()
    let (calls, continuation) = AsyncStream.makeStream(of: (Int, Bool).self)
    let now = clock.now
    for (name, delay) in [(3, 60_000_000), (1, 20_000_000), (2, 40_000_000), (0, -5)] as [(Int, Int64)] {
      clock.wake(at: now + delay) { continuation.yield((name, clock.now >= now + delay)) }
    }
    var names: [Int] = []
    for await (name, isInTime) in calls {
      #expect(isInTime)
      names.append(name)
      if names.count == 4 { break }
    }
    #expect(names == [0, 1, 2, 3])
  }

  @Test func nearerTimerFiresWhileTheClockWaitsForALaterOne() async {
    let clock = SystemLoadingClock()
    let (calls, continuation) = AsyncStream.makeStream(of: String.self)
    var names = calls.makeAsyncIterator()
    clock.wake(at: clock.now + 3_600_000_000_000) { continuation.yield("later") }

    // After the first of these calls the thread sleeps until the later time.
    for _ in 0..<20 {
      clock.wake(at: clock.now + 1_000_000) { continuation.yield("nearer") }
      let name = await names.next()
      #expect(name == "nearer")
      guard name == "nearer" else { return }
    }
  }

  @Test func clockFiresAgainAfterAnIdlePeriod() async throws {
    let clock = SystemLoadingClock()
    for _ in 0..<5 {
      try await untilCalled { done in
        clock.wake(at: clock.now + 1_000_000) { done() }
      }
    }
  }
}
