import Testing
import VitrineConcurrency

struct NextWakeTests {
  @Test func earlierCallReplacesTheScheduledCall() {
    var wake = NextWake()

    let areScheduled = [20, 20, 30, 10].map { wake.schedule(at: $0) }
    let areMade = [10, 20].map { wake.take(at: $0) }
    let isScheduledAfterwards = wake.schedule(at: 30)

    #expect(areScheduled == [true, false, false, true])
    #expect(areMade == [true, false], "the call at 20 was replaced")
    #expect(isScheduledAfterwards)
  }

  @Test func infiniteTimeIsNotScheduled() {
    var wake = NextWake()

    let isScheduled = wake.schedule(at: .max)
    let isMade = wake.take(at: .max)

    #expect(!isScheduled && !isMade)
  }
}
