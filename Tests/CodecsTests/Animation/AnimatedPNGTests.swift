import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@Suite(.timeLimit(.minutes(5))) struct AnimatedPNGTests {
  @Test(
    "YY-B41 PNG frames are composed by their disposal and blend, 200 generated animations", arguments: 0..<8)
  func framesAreComposedByTheirDisposalAndBlend(seed: Int) throws {
    var generator = SplitMix(state: UInt64(seed) + 100)
    for _ in 0..<25 {
      let fixture = AnimatedPNGFixture.random(using: &generator)
      let image = try decode(fixture.bytes, as: seed % 2 == 0 ? .bgra : .rgba)
      let expected = fixture.composed
      #expect(image.frameCount == expected.count)
      // A still image keeps the colors of transparent pixels.
      let still = image.bitmap.colors.map { $0.map { $0.alpha == 0 ? .clear : $0 } }
      #expect(still == expected[0].map { $0.map { $0.alpha == 0 ? .clear : $0 } })
      #expect(try image.composedFrames.map(\.colors) == expected)

      let decoder = try #require(image.animation).makeDecoder()
      for _ in 0..<20 {
        let index = Int.random(in: 0..<expected.count, using: &generator)
        #expect(try decoder.frame(index) { false }.colors == expected[index], "seek to \(index)")
      }
    }
  }

  @Test func durationsAreFractionsOfASecond() throws {
    var fixture = AnimatedPNGFixture.solid([.pureRed, .pureGreen, .pureBlue, .white, .black])
    fixture.delays = [(1, 4), (50, 0), (0, 10), (3, 1000), (65_535, 1)].map {
      AnimatedPNGFixture.Delay(numerator: $0.0, denominator: $0.1)
    }

    #expect(try decode(fixture.bytes).animation?.durations == [0.25, 0.5, 0.1, 0.1, 65_535])
  }

  @Test(arguments: [0, 1, 7]) func loopCountIsReadFromTheFile(count: Int) throws {
    var fixture = AnimatedPNGFixture.solid([.pureRed, .pureGreen])
    fixture.loopCount = count

    #expect(try decode(fixture.bytes).loopCount == count)
  }

  @Test func hiddenDefaultImageIsNotShown() throws {
    var fixture = AnimatedPNGFixture.solid([.pureRed, .pureGreen])
    fixture.defaultImage = [Color](repeating: .pureBlue, count: 12)

    let image = try decode(fixture.bytes)
    let still = try ImageCodecs().decode(fixture.bytes, options: DecodeOptions(decodesAnimation: false))

    #expect(image.frameCount == 2)
    #expect(image.bitmap.color(x: 0, y: 0) == .pureRed)
    #expect(!still.isAnimated)
    #expect(still.bitmap.color(x: 0, y: 0) == .pureRed)
  }

  @Test func defaultImageIsShownIfTheAnimationIsUnusable() throws {
    var fixture = AnimatedPNGFixture.solid([.pureRed, .pureGreen])
    fixture.defaultImage = [Color](repeating: .pureBlue, count: 12)
    var missing = fixture.chunks
    missing.removeAll { $0.type == "fdAT" }
    var damaged = fixture.chunks
    let frame = try #require(damaged.firstIndex { $0.type == "fdAT" })
    damaged[frame].payload[10] ^= 0xFF
    damaged[frame].payload[11] ^= 0xFF

    for chunks in [missing, damaged] {
      let image = try decode(AnimatedPNGFixture.file(chunks))
      #expect(!image.isAnimated)
      #expect(image.bitmap.color(x: 0, y: 0) == .pureBlue)
    }
  }

  @Test func frameWithAWrongChecksumIsDamaged() throws {
    var bytes = AnimatedPNGFixture.solid([.pureRed, .pureGreen, .pureBlue]).bytes
    // The checksum of the last frame lies before IEND, which takes twelve bytes.
    bytes[bytes.count - 13] ^= 1

    let decoder = try #require(try decode(bytes).animation).makeDecoder()

    #expect(try decoder.frame(1) { false }.color(x: 0, y: 0) == .pureGreen)
    #expect(throws: AnimationError.damaged("a wrong checksum")) { try decoder.frame(2) { false } }
    #expect(try decoder.frame(1) { false }.color(x: 0, y: 0) == .pureGreen)
  }

  @Test("a chunk out of sequence ends the animation before its frame")
  func chunkOutOfSequenceEndsTheAnimation() throws {
    let chunks = AnimatedPNGFixture.solid([.pureRed, .pureGreen, .pureBlue, .white]).chunks
    // IHDR, acTL, fcTL 0, IDAT, fcTL 1, fdAT 2, fcTL 3, fdAT 4, fcTL 5, fdAT 6, IEND.
    for (index, changedFrames, frames) in [
      (2, 1, 1), (4, 1, 1), (5, 1, 1), (6, 2, 1), (7, 2, 2), (8, 3, 2), (9, 3, 3),
    ] {
      var changed = chunks
      changed[index].payload[3] += 1
      let image = try decode(AnimatedPNGFixture.file(changed))
      #expect(image.frameCount == changedFrames, "chunk \(index)")
      #expect(image.bitmap.color(x: 0, y: 0) == .pureRed)
      _ = try image.composedFrames

      changed = chunks
      changed.remove(at: index)
      #expect(try decode(AnimatedPNGFixture.file(changed)).frameCount == frames, "without chunk \(index)")
    }
  }

  @Test(
    "an invalid frame control ends the animation before its frame",
    arguments: [
      (4, 0), (4, 5), (8, 0), (8, 4), (12, 1), (16, 1), (24, 3), (25, 2),
    ])
  func invalidFrameControlEndsTheAnimation(offset: Int, value: Int) throws {
    var chunks = AnimatedPNGFixture.solid([.pureRed, .pureGreen, .pureBlue]).chunks
    let control = 6
    if offset < 20 {
      chunks[control].payload.replaceSubrange(offset..<(offset + 4), with: value.bigEndianBytes)
    } else {
      chunks[control].payload[offset] = UInt8(value)
    }

    #expect(try decode(AnimatedPNGFixture.file(chunks)).frameCount == 2)
  }

  @Test func firstFrameMustCoverTheCanvasIfItIsTheDefaultImage() throws {
    var chunks = AnimatedPNGFixture.solid([.pureRed, .pureGreen, .pureBlue]).chunks
    chunks[2].payload.replaceSubrange(4..<8, with: 3.bigEndianBytes)

    let image = try decode(AnimatedPNGFixture.file(chunks))

    #expect(!image.isAnimated)
    #expect(image.bitmap.color(x: 3, y: 0) == .pureRed)
  }

  @Test func frameCountOfTheAnimationControlLimitsTheFrames() throws {
    var chunks = AnimatedPNGFixture.solid([.pureRed, .pureGreen, .pureBlue]).chunks
    for (count, frames) in [(0, 1), (1, 1), (2, 2), (4, 3), (Int(UInt32.max), 3)] {
      chunks[1].payload = count.bigEndianBytes + 0.bigEndianBytes
      #expect(try decode(AnimatedPNGFixture.file(chunks)).frameCount == frames)
    }
  }

  @Test func animationControlAfterThePixelsDoesNotCount() throws {
    var chunks = AnimatedPNGFixture.solid([.pureRed, .pureGreen]).chunks
    chunks.insert(chunks.remove(at: 1), at: 3)

    #expect(try !decode(AnimatedPNGFixture.file(chunks)).isAnimated)
  }

  @Test func palettesApplyToAllFrames() throws {
    var chunks = AnimatedPNGFixture.solid([.pureRed, .pureGreen]).chunks
    func pixels(_ index: Int) -> [UInt8] {
      PNGFixture.zlib((0..<3).flatMap { _ in [0] + [UInt8](repeating: UInt8(index), count: 4) })
    }
    chunks[0].payload[9] = 3
    chunks[3].payload = pixels(1)
    chunks[5].payload = 2.bigEndianBytes + pixels(2)
    chunks.insert(("tRNS", [255, 255, 100]), at: 1)
    chunks.insert(("PLTE", [0, 0, 0, 1, 2, 3, 4, 5, 6]), at: 1)

    let colors = try decode(AnimatedPNGFixture.file(chunks)).composedFrames.map { $0.color(x: 3, y: 2) }

    #expect(colors == [Color(red: 1, green: 2, blue: 3), Color(red: 4, green: 5, blue: 6, alpha: 100)])
  }

  @Test func orientationAppliesToAllFrames() throws {
    var chunks = AnimatedPNGFixture.solid(width: 4, height: 2, [.pureRed, .pureGreen]).chunks
    chunks.insert(("eXIf", exif(orientation: 6)), at: 1)

    let frames = try decode(AnimatedPNGFixture.file(chunks)).composedFrames

    #expect(frames.allSatisfy { $0.width == 2 && $0.height == 4 })
  }
}
