import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@Suite(.timeLimit(.minutes(5))) struct AnimatedRoundTripTests {
  private static let gif: [UInt8] = {
    var generator = SplitMix(state: 21)
    var fixture = AnimatedGIFFixture.random(using: &generator)
    fixture.loopCount = 3
    for index in fixture.frames.indices { fixture.frames[index].centiseconds = 5 + index }
    return fixture.bytes
  }()

  private static let png: [UInt8] = {
    var generator = SplitMix(state: 22)
    var fixture = AnimatedPNGFixture.random(using: &generator)
    fixture.loopCount = 3
    fixture.delays = fixture.frames.indices.map { .init(numerator: 5 + $0, denominator: 100) }
    return fixture.bytes
  }()

  @Test("SD-K13 an animated PNG is decoded, scaled, encoded and decoded again without loss")
  func animatedPNGIsEncodedWithoutLoss() throws {
    try roundTrip(Self.png, .png)
  }

  @Test("SD-K14 an animated GIF is decoded, scaled, encoded and decoded again without loss")
  func animatedGIFIsEncodedWithoutLoss() throws {
    try roundTrip(Self.gif, .gif)
  }

  private func roundTrip(_ bytes: [UInt8], _ format: ImageFormat) throws {
    let image = try decode(bytes)
    #expect(image.isAnimated && image.format == format && image.loopCount == 3)
    #expect(image.animation?.durations == (0..<image.frameCount).map { Double(5 + $0) / 100 })

    let again = try decode(try ImageCodecs().encode(image))

    #expect(again.format == format && again.loopCount == 3)
    #expect(again.animation?.durations == image.animation?.durations)
    let (frames, framesAgain) = (try image.composedFrames, try again.composedFrames)
    #expect(framesAgain.count == frames.count)
    for (one, other) in zip(frames, framesAgain) {
      for (one, other) in zip(one.colors.joined(), other.colors.joined()) {
        #expect(one == other || (one.alpha == 0 && other.alpha == 0))
      }
    }

    let small = try decode(bytes, to: DecodeTarget(width: 5, height: 5, mode: .fit))
    #expect(small.frameCount == image.frameCount)
    #expect(max(small.pixelWidth, small.pixelHeight) == 5)
    let sizes = try small.composedFrames.map { [$0.width, $0.height] }
    #expect(sizes.allSatisfy { $0 == [small.pixelWidth, small.pixelHeight] })
    #expect(try small.composedFrames[0].decibels(against: small.bitmap) > 50)
  }
}
