import Testing

@testable import VitrineLoading

struct FeedScheduleTests {
  private func schedule(every seconds: Double?) -> FeedSchedule {
    var schedule = FeedSchedule()
    schedule.setInterval(seconds)
    return schedule
  }

  private func isClose(_ seconds: Double?, _ expected: Double) -> Bool {
    seconds.map { abs($0 - expected) < 1e-6 } ?? false
  }

  @Test func feedWithoutAnIntervalIsLoadedOnce() {
    var schedule = schedule(every: nil)

    #expect(schedule.next(after: .fresh, lifetime: 60, pause: 60, random: 1) == .init(seconds: nil))
    #expect(schedule.update(1) == nil)
  }

  @Test(arguments: [0, -1, Double.nan, .infinity, -.infinity]) func unusableIntervalMeansNoUpdates(
    seconds: Double
  ) {
    #expect(schedule(every: seconds).interval == nil)
  }

  @Test func intervalIsAtLeastOneSecond() { #expect(schedule(every: 1e-9).interval == 1) }

  @Test func intervalVariesByTenPercentInBothDirections() {
    var schedule = schedule(every: 900)

    #expect(isClose(schedule.next(after: .fresh, random: 0).seconds, 810))
    #expect(isClose(schedule.next(after: .fresh, random: 0.5).seconds, 900))
    #expect(isClose(schedule.next(after: .fresh, random: 1).seconds, 990))
    #expect(!schedule.next(after: .fresh, random: 1).isRetry)
  }

  @Test func serverIsNotAskedBeforeTheEndOfTheLifetimeThatItStates() {
    var schedule = schedule(every: 900)

    #expect(isClose(schedule.next(after: .fresh, lifetime: 3600, random: 0).seconds, 3600))
    #expect(isClose(schedule.next(after: .fresh, lifetime: 3600, random: 1).seconds, 3960))
    #expect(isClose(schedule.next(after: .fresh, lifetime: 60, random: 0).seconds, 810))
    #expect(isClose(schedule.next(after: .fresh, lifetime: 1e9, random: 0).seconds, 86_400))
  }

  @Test func retriesWaitForTheEndOfAPause() {
    var schedule = schedule(every: 900)

    #expect(schedule.next(after: .failed(.status(503)), random: 1) == .init(seconds: 1, isRetry: true))
    #expect(isClose(schedule.next(after: .failed(.status(503)), pause: 600, random: 0).seconds, 600))
    #expect(isClose(schedule.next(after: .stale, pause: 600, random: 1).seconds, 600))
    #expect(isClose(schedule.next(after: .fresh, pause: 2000, random: 0).seconds, 2000))
    #expect(schedule.next(after: .stale, random: 1) == .init(seconds: 1, isRetry: true))
    schedule.restart()
    #expect(schedule.next(after: .stale, random: 1) == .init(seconds: 1, isRetry: true))
  }

  @Test func permanentFailureIsTriedAgainAtTheInterval() {
    var schedule = schedule(every: 900)
    var single = self.schedule(every: nil)
    let error = FeedRetry.Outcome.failed(.tooLarge(.body(bytes: 1)))

    #expect(schedule.next(after: error, random: 0.5) == .init(seconds: 900, isGivenUp: true))
    #expect(single.next(after: error, random: 0.5) == .init(isGivenUp: true))
    #expect(schedule.next(after: .failed(.shutDown), random: 0.5) == .init(isGivenUp: true))
  }
}
