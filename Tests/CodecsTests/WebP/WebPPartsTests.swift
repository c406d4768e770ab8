import Testing

@testable import VitrineCodecs

/// The parts in which the bytes of a frame are decoded, between checks for cancellation.
@Suite struct WebPPartsTests {
  @Test func lossyFrameHasUpToSixtyFourParts() {
    func bytes(_ count: Int) -> Int { WebPFrame.bytesAtOnce(of: count, isLossless: false, height: 1800) }

    #expect(bytes(64 << 20) == 1 << 20)
    #expect(bytes(1000) == 16 << 10)
  }

  @Test func partsOfALosslessFrameHaveManyRows() {
    func bytes(_ count: Int, height: Int) -> Int {
      WebPFrame.bytesAtOnce(of: count, isLossless: true, height: height)
    }

    #expect(bytes(7 << 20, height: 1800) == 1 << 20)
    #expect(bytes(64 << 20, height: 16_384) == 1 << 20)
    #expect(bytes(64 << 20, height: 1_000_000) == 1 << 20)
    // At least two parts, unless there are few bytes.
    #expect(bytes(1 << 20, height: 1) == 1 << 19)
    #expect(bytes(1000, height: 1800) == 64 << 10)
  }
}
