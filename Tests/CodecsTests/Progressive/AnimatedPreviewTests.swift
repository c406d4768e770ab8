import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// Previews of animated images, with the frames that have arrived.
@Suite(.timeLimit(.minutes(5))) struct AnimatedPreviewTests {
  /// Animations with every disposal, blend and partial frame. The first frames are sound in all of them.
  private static let files: [[UInt8]] = {
    var generator = SplitMix(state: 5)
    var files: [[UInt8]] = []
    for _ in 0..<12 { files.append(AnimatedGIFFixture.random(using: &generator).bytes) }
    for _ in 0..<12 { files.append(AnimatedPNGFixture.random(using: &generator).bytes) }
    for seed in 0..<8 { files.append(WebPAnimationFixture.random(seed: UInt64(seed)).bytes) }
    for seed in 0..<4 { files.append(WebPAnimationFixture.writtenByEncoder(seed: UInt64(seed))) }
    files.append(AnimatedGIFFixture.solid(Array(repeating: 1, count: 60), loopCount: 3).bytes)
    return files
  }()

  @Test(
    "previews at each percent of a file have the complete frames, with the pixels of the final image",
    arguments: files.indices, [nil, DecodeTarget(width: 7, height: 5)])
  func previewsHaveTheFramesThatHaveArrived(index: Int, target: DecodeTarget?) throws {
    let bytes = Self.files[index]
    let whole = try decode(bytes, to: target)
    let expected = try whole.composedFrames.map(\.colors)

    let parts = try parts(of: bytes, every: max(1, bytes.count / 100), to: target)

    let animated = parts.filter(\.image.isAnimated)
    #expect(animated.last?.image.frameCount == whole.frameCount)
    for part in animated {
      let image = part.image
      let animation = try #require(image.animation)
      #expect(image.isPreview && !animation.isComplete && animation.byteCount > 0)
      #expect(whole.continues(image) && animation.loopCount == whole.loopCount)
      #expect(animation.frameByteCount == whole.animation?.frameByteCount)
      // WebP frames that cover the canvas are scaled by libwebp, until a smaller frame arrives.
      if target != nil, whole.format == .webp { continue }
      #expect(try image.composedFrames.map(\.colors) == Array(expected.prefix(image.frameCount)))
    }
    let counts = animated.map(\.image.frameCount)
    #expect(counts == counts.sorted() && Set(counts).count == counts.count, "one preview for each new frame")
    for (part, next) in zip(animated, animated.dropFirst()) { #expect(next.image.continues(part.image)) }
    let firstAnimated = parts.firstIndex(where: \.image.isAnimated) ?? 0
    #expect(parts[firstAnimated...].allSatisfy { $0.image.isAnimated })
  }

  @Test("a decoder of more frames goes on from one of fewer frames", arguments: files.indices)
  func decoderGoesOnFromFewerFrames(index: Int) throws {
    let bytes = Self.files[index]
    let whole = try decode(bytes)
    let expected = try whole.composedFrames.map(\.colors)
    let images = try parts(of: bytes, every: 1).map(\.image).filter(\.isAnimated) + [whole]

    for frame in 0..<whole.frameCount {
      var decoder: (any FrameDecoding)?
      for image in images where frame < image.frameCount {
        let animation = try #require(image.animation)
        decoder = try decoder.map { try animation.makeDecoder(goingOnFrom: $0) } ?? animation.makeDecoder()
        let last = image.frameCount - 1
        for number in [frame, last, last, frame] {
          #expect(try decoder?.frame(number) { false }.colors == expected[number])
        }
      }
    }
  }

  @Test("without animation, the previews show the first frame only", arguments: files.indices)
  func previewsWithoutAnimationAreStill(index: Int) throws {
    let bytes = Self.files[index]
    let decoder = try #require(
      ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions(decodesAnimation: false)))
    for count in stride(from: 0, through: bytes.count, by: 7) {
      let image = try decoder.image(of: Array(bytes.prefix(count)), expectedLength: nil)
      #expect(image?.isAnimated != true)
    }
  }

  @Test("the memory of a preview is stated in advance", arguments: files.indices)
  func memoryOfAPreviewIsStatedInAdvance(index: Int) throws {
    let bytes = Self.files[index]
    let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions()))
    for count in 1...bytes.count {
      let data = Array(bytes.prefix(count))
      let need = decoder.memoryNeeded(for: data)
      let image = try decoder.image(of: data, expectedLength: nil)
      #expect(need >= decoder.retainedBytes + (image?.cost ?? 0))
    }
    #expect(decoder.retainedBytes == 0, "nothing is kept after the last byte")
  }

  @Test("an animated PNG with an empty canvas has no preview", arguments: [16, 20])
  func emptyCanvasHasNoPreview(offsetOfSide: Int) throws {
    var bytes = AnimatedPNGFixture.solid([.pureRed, .pureGreen, .pureBlue]).bytes
    bytes.replaceSubrange(offsetOfSide..<offsetOfSide + 4, with: [0, 0, 0, 0])
    let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions()))
    for count in 1...bytes.count {
      let image = try? decoder.image(of: Array(bytes.prefix(count)), expectedLength: nil)
      #expect(image == nil)
    }
  }

  @Test("earlier bytes that change give errors or sound frames", arguments: files.indices)
  func changedBytesAreRefused(index: Int) throws {
    var generator = SplitMix(state: UInt64(index))
    for _ in 0..<20 {
      var bytes = Self.files[index]
      let decoder = try #require(ImageCodecs().progressiveDecoder(.scans, options: DecodeOptions()))
      var count = 0
      while count < bytes.count {
        count = min(bytes.count, count + .random(in: 1...40, using: &generator))
        bytes[.random(in: 0..<count, using: &generator)] ^= UInt8.random(in: 0...255, using: &generator)
        guard let image = try? decoder.image(of: Array(bytes.prefix(count)), expectedLength: nil),
          let animation = image.animation, let frames = try? animation.makeDecoder()
        else { continue }
        for number in 0..<animation.frameCount {
          guard let frame = try? frames.frame(number, isCancelled: { false }) else { continue }
          #expect((frame.width, frame.height) == (image.pixelWidth, image.pixelHeight))
        }
      }
    }
  }
}
