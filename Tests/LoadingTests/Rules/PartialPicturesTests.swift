import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// The decisions about when a preview is decoded.
struct PartialPicturesTests {
  private let second: Int64 = 1_000_000_000
  private let decoder: CountedDecoder

  init() throws {
    decoder = CountedDecoder(
      decoder: try #require(FakeDecoder(showsParts: true).progressiveDecoder(.scans, options: .init())),
      hold: MemoryHold(0, in: MemoryLedger(), as: .decoding))
  }

  private func beginning(_ count: Int, of expected: Int? = 100_000, body: UInt64 = 1)
    -> PartialPictures.Beginning
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
    let parts = Parts()
    #expect(parts.begin(beginning(2000), at: 0))
    parts.end(decoder, hasPicture: true, interval: 0.2, at: 0)
    #expect(!parts.begin(beginning(3000), at: second / 5 - 1))
    #expect(parts.begin(beginning(3000), at: second / 5))
  }

  @Test func slowPreviewIsFollowedByAnEquallyLongPause() {
    let parts = Parts()
    #expect(parts.begin(beginning(2000), at: 0))
    #expect(!parts.begin(beginning(3000), at: second))
    parts.end(decoder, hasPicture: true, interval: 0.2, at: 3 * second)
    #expect(!parts.begin(beginning(3000), at: 6 * second - 1))
    #expect(parts.begin(beginning(3000), at: 6 * second))
  }

  @Test(arguments: [0, -1, .nan, -.infinity] as [Double])
  func nonPositiveOrNaNIntervalAllowsEachPreview(interval: Double) {
    let parts = Parts()
    for count in 1...3 {
      #expect(parts.begin(beginning(2000 * count), at: 7))
      parts.end(decoder, hasPicture: true, interval: interval, at: 7)
    }
  }

  @Test func skippedPreviewMayStartAgainAtOnceWithItsDecoder() {
    let parts = Parts()
    #expect(parts.begin(beginning(2000), at: 0))
    parts.skip(decoder)
    #expect(parts.begin(beginning(2000), at: 0))
    #expect(parts.takeDecoder(for: 1).fitting?.decoder === decoder.decoder)
  }

  @Test func skippedPreviewWaitsUntilTheGivenTime() {
    let parts = Parts()
    #expect(parts.begin(beginning(2000), at: 0))
    parts.skip(decoder, until: second)
    #expect(!parts.begin(beginning(3000), at: second - 1))
    #expect(parts.begin(beginning(3000), at: second))
  }

  @Test func lateJobDoesNotEndTheNextPreview() {
    let parts = Parts()
    #expect(parts.begin(beginning(2000), at: 0))
    let late = parts.job
    parts.end(decoder, hasPicture: true, interval: 0, at: 0)
    #expect(parts.begin(beginning(3000), at: 0))
    parts.end(nil, job: late, hasPicture: true, interval: 0, at: 0)
    parts.skip(nil, job: late)
    #expect(parts.isRunning)
  }

  @Test func decoderIsUsedForOneBodyOnly() {
    let parts = Parts()
    #expect(parts.begin(beginning(2000), at: 0))
    #expect(parts.takeDecoder(for: 1).fitting == nil)
    parts.end(decoder, hasPicture: false, interval: 0, at: 0)
    #expect(parts.begin(beginning(2000, body: 2), at: 0), "no preview of the first body was shown")
    let taken = parts.takeDecoder(for: 2)
    #expect(taken.fitting == nil)
    #expect(taken.other?.decoder === decoder.decoder, "the caller releases the other decoder")
  }

  @Test("a preview is made only from more bytes than the previous preview")
  func previewNeedsMoreBytesThanThePreviousPreview() {
    let parts = Parts()
    #expect(parts.begin(beginning(5000), at: 0))
    parts.end(decoder, hasPicture: true, interval: 0, at: 0)
    #expect(!parts.begin(beginning(5000, body: 2), at: second))
    #expect(parts.begin(beginning(5001, body: 2), at: second))
  }

  @Test func missingDecoderEndsPreviews() {
    let parts = Parts()
    #expect(parts.begin(beginning(2000), at: 0))
    parts.end(nil, hasPicture: false, interval: 0, at: 0)
    #expect(!parts.begin(beginning(9000), at: 9 * second))
    #expect(!parts.isRunning)
    parts.end(decoder, hasPicture: true, interval: 0, at: 0)
    #expect(!parts.begin(beginning(9000), at: 9 * second), "a second end is ignored")
  }
}

/// A class around `PartialPictures`, so that `#expect` can call its mutating methods. Each job gets a new number.
private final class Parts {
  private var parts = PartialPictures()
  /// The number of the newest job.
  private(set) var job: UInt64 = 0

  var isRunning: Bool { parts.runningJob != nil }

  func begin(_ beginning: PartialPictures.Beginning, at now: Int64) -> Bool {
    guard parts.begin(beginning, job: job + 1, at: now) else { return false }
    job += 1
    return true
  }

  func takeDecoder(for body: UInt64) -> (fitting: CountedDecoder?, other: CountedDecoder?) {
    parts.takeDecoder(for: body)
  }

  func skip(_ decoder: CountedDecoder?, job: UInt64? = nil, until earliest: Int64 = .min) {
    parts.skip(job ?? self.job, decoder, until: earliest)
  }

  func end(
    _ decoder: CountedDecoder?, job: UInt64? = nil, hasPicture: Bool, interval: Double, at now: Int64
  ) {
    parts.end(job ?? self.job, decoder, hasPicture: hasPicture, interval: interval, at: now)
  }
}
