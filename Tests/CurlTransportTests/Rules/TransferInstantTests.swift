import Testing

@testable import VitrineCurlTransport

@Suite struct TransferInstantTests {
  private let start = TransferInstant.now

  @Test(arguments: [0, 0.25, 1, 86_400, 1e9] as [Double])
  func durationIsAddedAndMeasured(seconds: Double) {
    let duration = Duration.seconds(seconds)

    #expect(start + duration - start == duration)
    #expect(start - (start - duration) == duration)
    #expect(start + duration >= start)
  }

  @Test func hugeDurationsAreClamped() {
    let last = start + .seconds(Int64.max)
    let first = start - .seconds(Int64.max)

    #expect(last > start && first < start)
    #expect(last + .seconds(Int64.max) == last)
    #expect(first.duration(to: last) > .seconds(4_000_000_000))
  }

  @Test(
    arguments: [
      (0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (-1, 0), (-1_000_000, -1),
      (-2_500_000, -2),
    ] as [(Int64, Int64)])
  func millisecondsAreRoundedUp(nanoseconds: Int64, milliseconds: Int64) {
    #expect(start.milliseconds(until: start + .nanoseconds(nanoseconds)) == milliseconds)
  }

  @Test(
    arguments: [
      0, 1, -1, 86_400_000, .max, .min, .max / 1_000_000, .max / 1_000_000 + 1, .min / 1_000_000 - 1, 1 << 41,
      -(1 << 41), (1 << 61) / 1_000_000, (1 << 61) / 1_000_000 + 1,
    ])
  func addingMillisecondsEqualsAddingADuration(count: Int) {
    #expect(start.advanced(byMilliseconds: count) == start + .milliseconds(count))
  }

  @Test func clockDoesNotGoBack() {
    #expect(TransferInstant.now >= start)
  }
}
