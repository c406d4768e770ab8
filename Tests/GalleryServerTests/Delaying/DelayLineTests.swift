import Testing

@testable import VitrineGalleryServer

@Suite("Delay line")
struct DelayLineTests {
  private var line = DelayLine(delay: 10)

  @Test mutating func bytesLeaveInOrderAfterTheDelay() {
    put([1, 2], at: 0)
    put([3], at: 5)

    #expect(line.due == 10)
    #expect(taken(at: 9) == [])
    #expect(taken(at: 10) == [1, 2])
    #expect(line.due == 15)
    #expect(taken(at: 20) == [3])
    #expect(line.due == nil)
  }

  @Test mutating func bytesNotTakenRemain() {
    put([1, 2, 3], at: 0)
    put([4], at: 0)

    #expect(taken(at: 10, atMost: 2) == [1, 2])
    #expect(taken(at: 10, atMost: 0) == [])
    #expect(taken(at: 10) == [3, 4])
  }

  @Test mutating func endFollowsTheBytes() {
    put([1], at: 0)
    line.putEnd(at: 4)
    #expect(!line.hasEnded(at: 100))

    _ = taken(at: 12)

    #expect(!line.hasEnded(at: 13))
    #expect(line.due == 14)
    #expect(line.hasEnded(at: 14))
  }

  @Test mutating func continuousBytesLeaveWithoutGaps() {
    for number in 0..<1000 {
      put([UInt8(truncatingIfNeeded: number)], at: UInt64(number))
      #expect(taken(at: UInt64(number)) == (number < 10 ? [] : [UInt8(truncatingIfNeeded: number - 10)]))
    }
    #expect(taken(at: 2000).count == 10)
  }

  private mutating func put(_ bytes: [UInt8], at now: UInt64) {
    bytes.withUnsafeBytes { line.put($0, at: now) }
  }

  private mutating func taken(at now: UInt64, atMost limit: Int = .max) -> [UInt8] {
    var taken: [UInt8] = []
    line.take(at: now) { bytes in
      let count = min(bytes.count, limit - taken.count)
      taken += bytes.prefix(count)
      return count
    }
    return taken
  }
}
