import Synchronization
import Testing

@testable import VitrineGraphics

@Suite("Trace") struct TraceTests {
  /// Returns a clock that advances by one each time it is read.
  private static func ticking() -> @Sendable () -> Int64 {
    let ticks = Ticks()
    return { ticks.value.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  private final class Ticks: Sendable { let value = Atomic<Int64>(0) }

  @Test func newEventsOverwriteTheOldestEvents() {
    let trace = Trace(capacity: 3, clock: Self.ticking())

    for number in 1...5 { trace.record(.fetchBegan(fetch: UInt64(number))) }

    #expect(trace.events.map(\.time) == [3, 4, 5])
    #expect(trace.events.map(\.kind) == [3, 4, 5].map { .fetchBegan(fetch: $0) })
    #expect(trace.lostEvents == 2)
  }

  @Test(arguments: [0, -1]) func traceWithoutCapacityRecordsNothing(capacity: Int) {
    let trace = Trace(
      capacity: capacity,
      clock: {
        Issue.record("the clock is read"); return 0
      })

    trace.record(.fetchBegan(fetch: 1))
    trace.recordServed(url: "http://a.test", image: 1)
    trace.recordResponse(1, .image(1, source: "network"))

    #expect(trace.events.isEmpty)
    #expect(trace.lostEvents == 0)
    #expect(!trace.awaitsFrames)
  }

  @Test func imageIsRecordedInTheFirstFrameThatShowsIt() {
    let trace = Trace(clock: Self.ticking())
    trace.recordResponse(7, .image(70, source: "network"))

    trace.recordFrame(with: [1, 2])
    trace.recordFrame(with: [1, 70, 2])
    trace.recordFrame(with: [70])

    #expect(
      trace.events.map(\.kind) == [.responded(request: 7, .image(70, source: "network")), .shown(image: 70)])
    #expect(!trace.awaitsFrames)
  }

  @Test func traceStopsAwaitingAnImageThatIsNeverShown() {
    let trace = Trace()
    trace.recordServed(url: "http://a.test", image: 70)

    for _ in 0..<240 { trace.recordFrame(with: [1]) }
    #expect(trace.awaitsFrames)
    trace.recordFrame(with: [1])

    #expect(!trace.awaitsFrames)
  }

  @Test func traceStillAwaitsNewImagesAfterGivingUpAnImage() {
    let trace = Trace()
    trace.recordServed(url: "http://a.test", image: 70)
    for _ in 0..<240 { trace.recordFrame(with: [1]) }

    trace.recordServed(url: "http://a.test", image: 71)
    trace.recordFrame(with: [1])
    trace.recordFrame(with: [71])

    #expect(trace.events.last?.kind == .shown(image: 71))
  }

  @Test func awaitedImagesAreLimitedWithoutFrames() {
    let trace = Trace(capacity: 8)

    for image in 1...1000 as ClosedRange<UInt64> {
      trace.recordResponse(image, .image(image, source: "network"))
      #expect(trace.awaitedImages <= 16)
    }
    trace.recordFrame(with: [993, 1000])

    #expect(trace.events.suffix(2).map(\.kind) == [.shown(image: 993), .shown(image: 1000)])
  }

  @Test func awaitedImagesAreLimitedAcrossRemoveAll() {
    let trace = Trace(capacity: 8)

    for image in 1...1000 as ClosedRange<UInt64> {
      trace.recordResponse(image, .image(image, source: "network"))
      #expect(trace.awaitedImages <= 16)
      if image.isMultiple(of: 7) { trace.removeAll() }
    }
    trace.removeAll()
    trace.recordFrame(with: [1000])

    #expect(trace.events.map(\.kind) == [.shown(image: 1000)])
  }

  @Test func traceOfUnlimitedCapacityAwaitsImages() {
    let trace = Trace(capacity: .max)

    trace.recordServed(url: "http://a.test", image: 70)

    #expect(trace.awaitedImages == 1)
  }

  @Test func longURLsAreTruncated() throws {
    let trace = Trace()

    trace.recordServed(url: "data:" + String(repeating: "x", count: 1_000_000), image: 1)

    guard case .served(_, let url, _) = try #require(trace.events.first).kind else {
      Issue.record("not served")
      return
    }
    #expect(url.count == 1025)
    #expect(url.hasSuffix("x…"))
  }

  @Test func reservedNumbersNeverOverlap() {
    let trace = Trace()

    #expect(trace.reserveNumbers() + (1 << 40) <= trace.reserveNumbers())
  }

  @Test func removeAllMakesRoomForNewEvents() {
    let trace = Trace(capacity: 2)
    for number in 1...3 { trace.record(.fetchBegan(fetch: UInt64(number))) }

    trace.removeAll()
    trace.record(.fetchBegan(fetch: 9))

    #expect(trace.events.map(\.kind) == [.fetchBegan(fetch: 9)])
    #expect(trace.lostEvents == 0)
  }

  @Test func imagesHaveUniqueNumbers() {
    let bitmap = Bitmap(width: 1, height: 1, format: .bgra, isOpaque: true) { _, _ in }

    #expect(Image(bitmap).number != Image(bitmap).number)
  }
}
