import Testing

@testable import VitrineGraphics

/// The recognition of an animation at another size.
@Suite struct SameAnimationTests {
  private final class NoFrames: FrameDecoding {
    func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap { throw .cancelled }
  }

  private func image(
    side: Int = 4, _ source: AnimationSource?, durations: [Double] = [0.1, 0.2], isComplete: Bool = true
  ) -> Image {
    let animation = ImageAnimation(
      durations: durations, loopCount: 0, frameByteCount: side * side * 4, byteCount: 0, decoderByteCount: 0,
      isComplete: isComplete, source: source
    ) { (_) throws(AnimationError) in NoFrames() }
    return Image(
      Bitmap(width: side, height: side, color: .white), animation: animation, sourceWidth: 16,
      sourceHeight: 16)
  }

  private func source(_ byte: UInt8 = 1) -> AnimationSource { AnimationSource(file: [1, 2, 3, byte]) }

  @Test func equalBytesAreTheSameAnimationAtEachSize() {
    #expect(image(side: 8, source()).continues(image(source())))
    #expect(image(side: 2, source()).continues(image(source())))
    #expect(image(AnimationSource(file: [])).continues(image(side: 8, AnimationSource(file: []))))
  }

  @Test func otherBytesOrDurationsAreAnotherAnimation() {
    let image = image(source())
    #expect(!self.image(source(2)).continues(image))
    #expect(!self.image(source(), durations: [0.1, 0.3]).continues(image))
    #expect(!self.image(nil).continues(image))
    #expect(!self.image(nil).continues(self.image(nil)))
    #expect(!image.continues(image))
  }

  @Test func previewIsNotRecognizedByItsBytes() {
    #expect(!image(side: 8, source()).continues(image(source(), isComplete: false)))
  }

  @Test func transformsMakeAnotherAnimation() {
    let blurred = source().transformed(by: "blur(2)")
    #expect(image(side: 8, blurred).continues(image(source().transformed(by: "blur(2)"))))
    #expect(!image(blurred).continues(image(source())))
    #expect(!image(source().transformed(by: "blur(3)")).continues(image(blurred)))
  }

  @Test func variantsWithTheSameFramesAreTheSameAnimation() {
    let image = image(nil)
    #expect(image.withScale(2).continues(image))
    #expect(self.image(source()).storingFrames(as: .streaming).continues(self.image(source())))
    #expect(!image.withRenderingMode(.alwaysTemplate).continues(image), "looks different")
    #expect(!image.continues(image.firstFrame))
  }
}
