import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@Suite(.timeLimit(.minutes(5))) struct AnimatedGIFTests {
  @Test("YY-B41 GIF frames are composed by their disposal, 200 generated animations", arguments: 0..<8)
  func framesAreComposedByTheirDisposal(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed))
    for _ in 0..<25 {
      let fixture = AnimatedGIFFixture.random(using: &generator)
      let image = try decode(fixture.bytes, as: seed % 2 == 0 ? .bgra : .rgba)
      let expected = fixture.composed
      #expect(image.frameCount == expected.count)
      #expect(image.bitmap.colors == expected[0])
      #expect(try image.composedFrames.map(\.colors) == expected)

      let decoder = try #require(image.animation).makeDecoder()
      for _ in 0..<20 {
        let index = Int.random(in: 0..<expected.count, using: &generator)
        #expect(try decoder.frame(index) { false }.colors == expected[index], "seek to \(index)")
      }
    }
  }

  @Test func framesHaveTheirDurations() throws {
    var fixture = AnimatedGIFFixture.solid([0, 1, 2, 3])
    for (index, centiseconds) in [0, 1, 2, 65_535].enumerated() {
      fixture.frames[index].centiseconds = centiseconds
    }

    #expect(try decode(fixture.bytes).animation?.durations == [0.1, 0.1, 0.02, 655.35])
  }

  @Test("SD-K15 a GIF without the loop extension has the loop count 1")
  func gifWithoutALoopBlockIsPlayedOnce() throws {
    #expect(try decode(AnimatedGIFFixture.solid([0, 1]).bytes).loopCount == 1)
  }

  @Test(arguments: ["NETSCAPE2.0", "ANIMEXTS1.0"], [0, 1, 5, 65_535])
  func loopCountIsReadFromTheFile(application: String, count: Int) throws {
    var fixture = AnimatedGIFFixture.solid([0, 1], loopCount: count)
    fixture.application = application

    #expect(try decode(fixture.bytes).loopCount == count)
  }

  @Test func blockOfAnotherApplicationIsNoLoopBlock() throws {
    var fixture = AnimatedGIFFixture.solid([0, 1], loopCount: 7)
    fixture.application = "XMP DataXMP"

    #expect(try decode(fixture.bytes).loopCount == 1)
  }

  @Test func singleFrameIsStill() throws {
    let image = try decode(AnimatedGIFFixture.solid([2], loopCount: 0).bytes)

    #expect(!image.isAnimated)
    #expect(image.frameCount == 1)
  }

  @Test func decodesAnimationOfFalseGivesTheFirstFrame() throws {
    let bytes = AnimatedGIFFixture.solid([1, 2]).bytes

    let image = try ImageCodecs().decode(bytes, options: DecodeOptions(decodesAnimation: false))

    #expect(!image.isAnimated)
    #expect(image.bitmap.color(x: 0, y: 0) == .pureGreen)
  }

  @Test func framesHaveTheSizeOfTheTarget() throws {
    let bytes = AnimatedGIFFixture.solid(width: 40, height: 20, [0, 1, 2]).bytes

    let image = try decode(bytes, to: DecodeTarget(width: 10, height: 10, mode: .fit))

    #expect(image.sourceWidth == 40)
    #expect(image.animation?.frameByteCount == image.bitmap.byteCount)
    for (frame, color) in zip(try image.composedFrames, [Color.pureRed, .pureGreen, .pureBlue]) {
      #expect(frame.width == 10 && frame.height == 5)
      #expect(frame.isOpaque)
      #expect(frame.colors.joined().allSatisfy { $0 == color })
    }
  }

  @Test func animationCountsTheBytesThatItKeeps() throws {
    let bytes = AnimatedGIFFixture.solid(width: 40, height: 20, [0, 1, 2]).bytes

    let animation = try #require(try decode(bytes).animation)

    #expect(bytes.count..<(bytes.count + 300) ~= animation.byteCount)
    #expect(animation.decoderByteCount >= 40 * 20 * 4 && animation.decodingByteCount >= 40 * 20)
    #expect(animation.isComplete)
  }
}
