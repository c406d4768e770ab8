import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The decisions about when a preview is decoded.
struct PreviewScheduleTests {
  private let second: Int64 = 1_000_000_000
  private let decoder: ReservedDecoder

  init() throws {
    decoder = ReservedDecoder(
      decoder: try #require(FakeDecoder(showsPreviews: true).progressiveDecoder(.scans, options: .init())),
      reservation: MemoryReservation(0, in: MemoryLedger(), as: .decoding))
  }

  private func beginning(_ count: Int, of expected: Int? = 100_000, body: UInt64 = 1)
    -> PreviewSchedule.Beginning
  {
    .init(body: body, count: count, expected: expected)
  }

  @Test(
    "YY-F35 a preview is worth showing with an unknown length, not with a length that is zero or wrong",
    arguments: [
      (1023, nil, false), (1024, nil, true), (.max, nil, true), (5000, 0, false), (5000, -1, false),
      (5000, 4000, false), (5000, .max, true), (98_999, 100_000, true), (99_000, 100_000, false),
      (0, 0, false),
    ] as [(Int, Int?, Bool)])
  func lengthsDecideWhetherAPreviewIsWorthShowing(count: Int, expected: Int?, isWorthShowing: Bool) {
    #expect(beginning(count, of: expected).isWorthShowing == isWorthShowing)
  }

  @Test func nextPreviewStartsAfterTheInterval() {
    let previews = Previews()
    #expect(previews.begin(beginning(2000), at: 0))
    previews.end(decoder, hasPreview: true, interval: 0.2, at: 0)
    #expect(!previews.begin(beginning(3000), at: second / 5 - 1))
    #expect(previews.begin(beginning(3000), at: second / 5))
  }

  @Test func slowPreviewIsFollowedByAnEquallyLongPause() {
    let previews = Previews()
    #expect(previews.begin(beginning(2000), at: 0))
    #expect(!previews.begin(beginning(3000), at: second))
    previews.end(decoder, hasPreview: true, interval: 0.2, at: 3 * second)
    #expect(!previews.begin(beginning(3000), at: 6 * second - 1))
    #expect(previews.begin(beginning(3000), at: 6 * second))
  }

  @Test(arguments: [0, -1, .nan, -.infinity] as [Double])
  func nonPositiveOrNaNIntervalAllowsEachPreview(interval: Double) {
    let previews = Previews()
    for count in 1...3 {
      #expect(previews.begin(beginning(2000 * count), at: 7))
      previews.end(decoder, hasPreview: true, interval: interval, at: 7)
    }
  }

  @Test func skippedPreviewMayStartAgainAtOnceWithItsDecoder() {
    let previews = Previews()
    #expect(previews.begin(beginning(2000), at: 0))
    previews.skip(decoder)
    #expect(previews.begin(beginning(2000), at: 0))
    #expect(previews.takeDecoder(for: 1).fitting?.decoder === decoder.decoder)
  }

  @Test func skippedPreviewWaitsUntilTheGivenTime() {
    let previews = Previews()
    #expect(previews.begin(beginning(2000), at: 0))
    previews.skip(decoder, until: second)
    #expect(!previews.begin(beginning(3000), at: second - 1))
    #expect(previews.begin(beginning(3000), at: second))
  }

  @Test func lateJobDoesNotEndTheNextPreview() {
    let previews = Previews()
    #expect(previews.begin(beginning(2000), at: 0))
    let late = previews.job
    previews.end(decoder, hasPreview: true, interval: 0, at: 0)
    #expect(previews.begin(beginning(3000), at: 0))
    previews.end(nil, job: late, hasPreview: true, interval: 0, at: 0)
    previews.skip(nil, job: late)
    #expect(previews.isRunning)
  }

  @Test func decoderIsUsedForOneBodyOnly() {
    let previews = Previews()
    #expect(previews.begin(beginning(2000), at: 0))
    #expect(previews.takeDecoder(for: 1).fitting == nil)
    previews.end(decoder, hasPreview: false, interval: 0, at: 0)
    #expect(previews.begin(beginning(2000, body: 2), at: 0), "no preview of the first body was shown")
    let taken = previews.takeDecoder(for: 2)
    #expect(taken.fitting == nil)
    #expect(taken.other?.decoder === decoder.decoder, "the caller releases the other decoder")
  }

  @Test("a preview is made only from more bytes than the previous preview")
  func previewNeedsMoreBytesThanThePreviousPreview() {
    let previews = Previews()
    #expect(previews.begin(beginning(5000), at: 0))
    previews.end(decoder, hasPreview: true, interval: 0, at: 0)
    #expect(!previews.begin(beginning(5000, body: 2), at: second))
    #expect(previews.begin(beginning(5001, body: 2), at: second))
  }

  @Test func missingDecoderEndsPreviews() {
    let previews = Previews()
    #expect(previews.begin(beginning(2000), at: 0))
    previews.end(nil, hasPreview: false, interval: 0, at: 0)
    #expect(!previews.begin(beginning(9000), at: 9 * second))
    #expect(!previews.isRunning)
    previews.end(decoder, hasPreview: true, interval: 0, at: 0)
    #expect(!previews.begin(beginning(9000), at: 9 * second), "a second end is ignored")
  }
}

/// A class around `PreviewSchedule`, so that `#expect` can call its mutating methods. Each job gets a new number.
private final class Previews {
  private var previews = PreviewSchedule()
  /// The number of the newest job.
  private(set) var job: UInt64 = 0

  var isRunning: Bool { previews.runningJob != nil }

  func begin(_ beginning: PreviewSchedule.Beginning, at now: Int64) -> Bool {
    guard previews.begin(beginning, job: job + 1, at: now) else { return false }
    job += 1
    return true
  }

  func takeDecoder(for body: UInt64) -> (fitting: ReservedDecoder?, other: ReservedDecoder?) {
    previews.takeDecoder(for: body)
  }

  func skip(_ decoder: ReservedDecoder?, job: UInt64? = nil, until earliest: Int64 = .min) {
    previews.skip(job ?? self.job, decoder, until: earliest)
  }

  func end(
    _ decoder: ReservedDecoder?, job: UInt64? = nil, hasPreview: Bool, interval: Double, at now: Int64
  ) {
    previews.end(job ?? self.job, decoder, hasPreview: hasPreview, interval: interval, at: now)
  }
}
