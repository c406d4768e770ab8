import Testing
import VitrineGraphics

/// The numbers of bytes that an application's decoder states for its animation.
@Suite struct StatedByteCountTests {
  private func image(byteCount: Int) -> Image {
    let animation = ImageAnimation(
      durations: [0.1, 0.1], frameByteCount: byteCount, byteCount: byteCount, decoderByteCount: byteCount,
      decodingByteCount: byteCount
    ) { () throws(AnimationError) in throw .damaged("no frames") }
    let bitmap = Bitmap(width: 2, height: 2, format: .rgba, isOpaque: true) { _, _ in }
    return Image(bitmap, animation: animation)
  }

  @Test func largestNumbersAreLimited() {
    let image = image(byteCount: .max)

    #expect(image.animation?.frameByteCount == ImageAnimation.largestByteCount)
    #expect(image.animation?.byteCount == ImageAnimation.largestByteCount)
    #expect(image.animation?.decoderByteCount == ImageAnimation.largestByteCount)
    #expect(image.animation?.decodingByteCount == ImageAnimation.largestByteCount)
    #expect(image.cost == ImageAnimation.largestByteCount + 16)
  }

  @Test func negativeNumbersCountAsZero() {
    let image = image(byteCount: .min)

    #expect(image.animation?.frameByteCount == 0 && image.animation?.decoderByteCount == 0)
    #expect(image.animation?.decodingByteCount == 0)
    #expect(image.cost == 16)
  }

  @Test func ledgerCountsManyAbsurdImages() {
    let ledger = MemoryLedger()
    let images = (0..<100).map { _ in image(byteCount: .max) }

    for image in images { image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding)) }

    #expect(ledger.usage.total == 100 * images[0].cost)
  }

  @Test func sumsAndProductsAreSaturated() {
    #expect(ByteCount.sum(.max, 1) == .max && ByteCount.sum(1, 2, .max) == .max)
    #expect(ByteCount.sum(1, 2) == 3 && ByteCount.sum(1, 2, 3) == 6)
    #expect(ByteCount.product(.max, 2) == .max && ByteCount.product(.max, .max, 0) == .max)
    #expect(ByteCount.product(2, 3) == 6 && ByteCount.product(2, 3, 4) == 24)
  }
}
