import Testing

@testable import VitrineGalleryServer

@Suite("Stepping through a response")
struct ResponseCursorTests {
  private let second: UInt64 = 1_000_000_000

  @Test func waitEndsAtItsTime() {
    var cursor = ResponseCursor(ResponsePlan(status: 200, steps: [.wait(milliseconds: 5), .stall]))

    #expect(cursor.next(at: 100) == .sleep(until: 5_000_100))
    #expect(cursor.next(at: 5_000_099) == .sleep(until: 5_000_100))
    #expect(cursor.next(at: 5_000_100) == .stall)
  }

  @Test func consecutiveWaitsAddUp() {
    var cursor = ResponseCursor(
      ResponsePlan(status: 200, steps: [.wait(milliseconds: 5), .wait(milliseconds: 7), .stall]))

    #expect(cursor.next(at: 0) == .sleep(until: 5_000_000))
    #expect(cursor.next(at: 5_000_000) == .sleep(until: 12_000_000))
    #expect(cursor.next(at: 12_000_000) == .stall)
  }

  @Test func partiallySentBodyContinuesWhereItStopped() {
    let body = Body.bytes([0, 1, 2, 3, 4])
    var cursor = ResponseCursor(ResponsePlan(status: 200, steps: [.body(body, 1..<4)]))

    cursor.sent(2)

    #expect(
      cursor.next(at: 0) == .send(.init(source: body, range: 3..<4, isBody: true, isFollowed: false)))
    #expect(!cursor.hasSentEverything)
    cursor.sent(1)
    #expect(cursor.hasSentEverything)
    #expect(cursor.next(at: 0) == .finish)
  }

  @Test func partiallySentHeadContinuesWhereItStopped() {
    var cursor = ResponseCursor(ResponsePlan(status: 200, steps: [.frame([1, 2, 3])]))

    cursor.sent(2)

    #expect(
      cursor.next(at: 0)
        == .send(.init(source: .bytes([1, 2, 3]), range: 2..<3, isBody: false, isFollowed: false)))
  }

  @Test func headIsSentTogetherWithABodyThatFollowsImmediately() {
    let steps: [ResponsePlan.Step] = [.frame([9]), .body(.bytes([1]), 0..<1), .stall]

    var cursor = ResponseCursor(ResponsePlan(status: 200, steps: steps))
    var pacedCursor = ResponseCursor(ResponsePlan(status: 200, steps: steps, bytesPerSecond: 1))

    #expect(
      cursor.next(at: 0)
        == .send(.init(source: .bytes([9]), range: 0..<1, isBody: false, isFollowed: true)))
    #expect(
      pacedCursor.next(at: 0)
        == .send(.init(source: .bytes([9]), range: 0..<1, isBody: false, isFollowed: false)))
  }

  @Test func againStepRepeatsForever() {
    let steps: [ResponsePlan.Step] = [.frame([9]), .body(.bytes([1]), 0..<1), .jump(to: 1)]
    var cursor = ResponseCursor(ResponsePlan(status: 200, steps: steps))
    cursor.sent(1)

    for _ in 0..<100 {
      guard case .send(let piece) = cursor.next(at: 0) else { break }
      #expect(piece.isBody)
      cursor.sent(1)
      #expect(!cursor.hasSentEverything)
    }
  }

  @Test func truncatedResponseIsCompleteAtItsCut() {
    var cursor = ResponseCursor(ResponsePlan(status: 200, steps: [.frame([9]), .reset]))

    cursor.sent(1)

    #expect(cursor.hasSentEverything)
    #expect(cursor.next(at: 0) == .reset)
  }

  @Test func pacedBodyDurationIsItsSizeDividedByItsRate() {
    let body = Body.bytes(Array(repeating: 0, count: 10_000))
    var cursor = ResponseCursor(
      ResponsePlan(status: 200, steps: [.body(body, 0..<10_000)], bytesPerSecond: 1000))
    let start = 5 * second
    var now = start
    var sizes: [Int] = []

    loop: while true {
      switch cursor.next(at: now) {
      case .send(let piece):
        sizes.append(piece.range.count)
        cursor.sent(piece.range.count)
      case .sleep(let deadline):
        #expect(deadline > now)
        now = deadline
      default: break loop
      }
    }

    #expect(sizes.reduce(0, +) == 10_000)
    #expect(sizes.allSatisfy { $0 == 20 })
    #expect(abs(Double(now - start) / 1e9 - 9.98) < 0.001)
  }

  @Test func paceGrantsTheBytesThatASlowReaderMissed() {
    var pace = Pace(bytesPerSecond: 100)

    #expect(pace.grant(1000, at: 0) == .bytes(2))
    pace.count(2)
    #expect(pace.grant(1000, at: 3 * second) == .bytes(300))
  }

  @Test(arguments: [0, -5, 1])
  func rateBelowOneCountsAsOne(rate: Int) {
    var pace = Pace(bytesPerSecond: rate)

    #expect(pace.grant(5, at: 0) == .bytes(1))
    pace.count(1)
    #expect(pace.grant(5, at: 1) == .wait(until: second + 1))
    #expect(pace.grant(5, at: second + 1) == .bytes(1))
  }

  @Test func maximumRateGrantsAllBytes() {
    var pace = Pace(bytesPerSecond: .max)

    #expect(pace.grant(1 << 30, at: 0) == .bytes(1 << 30))
  }
}
