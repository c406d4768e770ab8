import Glibc
import Testing
import VitrineTesting

@testable import VitrinePlatform

/// Steps of the wall clock, simulated by a descriptor that the test writes to.
@Suite(.timeLimit(.minutes(5))) struct ClockMonitorTests {
  @Test func monitorCallsForEachStepUntilItIsReleased() async throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
    defer { close(pair[1]) }
    let (steps, continuation) = AsyncStream.makeStream(of: Void.self)
    var monitor = ClockMonitor(timer: pair[0]) { continuation.yield() }
    var iterator = steps.makeAsyncIterator()

    for _ in 0..<3 {
      var expirations: UInt64 = 1
      #expect(send(pair[1], &expirations, 8, 0) == 8)
      await iterator.next()
    }

    #expect(monitor != nil)
    monitor = nil
    var end = pollfd(fd: pair[1], events: 0, revents: 0)
    try blockUntil {
      poll(&end, 1, 100)
      return end.revents & Int16(POLLHUP) != 0
    }
  }

  @Test func kernelOffersATimer() {
    #expect(ClockMonitor(onStep: {}) != nil)
  }
}
