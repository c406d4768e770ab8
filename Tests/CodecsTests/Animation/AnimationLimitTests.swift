import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@Suite(.timeLimit(.minutes(5))) struct AnimationLimitTests {
  private static let gif: (bytes: [UInt8], composed: [[[Color]]]) = {
    var generator = SplitMix(state: 11)
    var fixture = AnimatedGIFFixture.random(using: &generator)
    while fixture.frames.count < 6 { fixture = .random(using: &generator) }
    return (fixture.bytes, fixture.composed)
  }()

  private static let png: [UInt8] = {
    var generator = SplitMix(state: 12)
    return AnimatedPNGFixture.random(using: &generator).bytes
  }()

  @Test("a GIF cut at each percent is an error or has the sound frames")
  func truncatedGIFHasTheSoundFrames() throws {
    var counts: Set<Int> = []
    for percent in 0..<100 {
      let cut = Array(Self.gif.bytes.prefix(Self.gif.bytes.count * percent / 100))
      do {
        let frames = try decode(cut).composedFrames
        #expect(frames.map(\.colors) == Array(Self.gif.composed.prefix(frames.count)))
        counts.insert(frames.count)
      } catch let error as ImageError {
        #expect(error == .emptyBody || error.isDamage(of: .gif) || isNoImage(error), "\(percent) %")
      }
    }
    #expect(counts.count >= Self.gif.composed.count - 2)
  }

  private func isNoImage(_ error: ImageError) -> Bool {
    if case .notAnImage = error { true } else { false }
  }

  @Test("a PNG cut at each percent is an error") func truncatedPNGIsAnError() {
    for percent in 0..<100 {
      let cut = Array(Self.png.prefix(Self.png.count * percent / 100))
      guard let error = error(cut) else {
        Issue.record("\(percent) %")
        continue
      }
      #expect(error == .emptyBody || error.isDamage(of: .png) || isNoImage(error), "\(percent) %")
    }
  }

  /// A GIF of frames of one pixel.
  private func manyFrames(_ count: Int, width: Int = 4, height: Int = 4) -> [UInt8] {
    var fixture = AnimatedGIFFixture(width: width, height: height, frames: [])
    let frame = AnimatedGIFFixture.Frame(x: 1, y: 2, width: 1, height: 1, centiseconds: 3, indices: [2])
    let block = fixture.bytes(of: frame)
    fixture.frames = [.init(width: 1, height: 1, indices: [1])]
    return fixture.bytes.dropLast() + Array(repeatElement(block, count: count - 1).joined()) + [0x3B]
  }

  @Test func hundredThousandFramesArePlayed() throws {
    let bytes = manyFrames(100_000)

    let image = try decode(bytes)

    #expect(image.frameCount == 100_000)
    let animation = try #require(image.animation)
    #expect(animation.durations.last == 0.03)
    #expect(animation.byteCount < 6 * bytes.count)
    let frame = try animation.makeDecoder().frame(2000) { false }
    #expect(frame.color(x: 0, y: 0) == .pureGreen && frame.color(x: 1, y: 2) == .pureBlue)
  }

  @Test func animationOfTooManyFramesIsCut() throws {
    #expect(try decode(manyFrames(200_000)).frameCount == 131_072)
  }

  @Test("a canvas of 65,535² pixels is refused before memory is allocated")
  func hugeCanvasIsRefused() {
    let side = 65_535

    #expect(error(manyFrames(3, width: side, height: side)) == .tooLarge(.pixels(64 << 20)))
    var chunks = AnimatedPNGFixture.solid([.pureRed, .pureGreen]).chunks
    chunks[0].payload.replaceSubrange(0..<8, with: side.bigEndianBytes + side.bigEndianBytes)
    #expect(error(AnimatedPNGFixture.file(chunks)) == .tooLarge(.pixels(64 << 20)))
  }

  @Test func canvasThatExceedsTheLimitIsStill() throws {
    let bytes = AnimatedPNGFixture.solid(width: 40, height: 30, [.pureRed, .pureGreen]).bytes
    let target = DecodeTarget(width: 4, height: 3)

    #expect(try decode(bytes, to: target, limits: DecodeLimits(pixels: 1200)).isAnimated)
    #expect(try !decode(bytes, to: target, limits: DecodeLimits(pixels: 1199)).isAnimated)
  }

  @Test func hugeOrImpossibleFrameEndsTheAnimation() throws {
    var fixture = AnimatedGIFFixture.solid([0, 1, 2])
    for (width, height) in [(65_535, 65_535), (2000, 2000)] {
      let bytes = fixture.bytes
      let size = 4.littleEndianPair + 3.littleEndianPair
      let descriptor = try #require(
        bytes.indices.last { bytes[$0] == 0x2C && Array(bytes[($0 + 5)...].prefix(4)) == size })
      var changed = bytes
      changed.replaceSubrange(
        (descriptor + 5)..<(descriptor + 9), with: width.littleEndianPair + height.littleEndianPair)
      #expect(try decode(changed).frameCount == 2)
    }
    fixture.frames[2].width = 0
    fixture.frames[2].indices = []
    #expect(try decode(fixture.bytes).frameCount == 2)
  }

  @Test func damagedCodesAreAnErrorOfTheFrame() throws {
    let fixture = AnimatedGIFFixture.solid([0, 1, 2])
    var damaged = AnimatedGIFFixture(width: 4, height: 3, frames: Array(fixture.frames[..<2])).bytes
    damaged.removeLast()
    let frame = fixture.bytes(of: fixture.frames[2])
    // A clear code and a code that means nothing yet.
    let codes: [UInt8] = [5, 0b0011_1100, 0, 0, 0, 0, 0]
    let head = frame.prefix(8 + 10 + 1)
    damaged += head + codes + [0x3B]

    let image = try decode(damaged)

    #expect(image.frameCount == 3)
    let decoder = try #require(image.animation).makeDecoder()
    #expect(throws: AnimationError.damaged("a code that means nothing yet")) {
      try decoder.frame(2) { false }
    }
    #expect(try decoder.frame(1) { false }.color(x: 0, y: 0) == .pureGreen)
  }

  @Test func frameOutsideOfTheCanvasChangesNothing() throws {
    var fixture = AnimatedGIFFixture.solid([0, 1, 2])
    fixture.frames[1].x = 4
    fixture.frames[2].y = 60_000

    let colors = try decode(fixture.bytes).composedFrames.map(\.colors)

    #expect(colors[1] == colors[0] && colors[2] == colors[0])
  }

  @Test func cancellationStopsAFrame() throws {
    for bytes in [
      AnimatedGIFFixture.solid(width: 64, height: 64, [0, 1, 2]).bytes,
      AnimatedPNGFixture.solid(width: 64, height: 64, [.pureRed, .pureGreen, .pureBlue]).bytes,
    ] {
      let decoder = try #require(try decode(bytes).animation).makeDecoder()
      var checks = 0
      _ = try decoder.frame(2) {
        checks += 1
        return false
      }
      #expect(checks >= 4)
      for allowed in 0..<checks {
        let decoder = try #require(try decode(bytes).animation).makeDecoder()
        var count = 0
        #expect(throws: AnimationError.cancelled) {
          try decoder.frame(2) {
            count += 1
            return count > allowed
          }
        }
        #expect(try decoder.frame(2) { false }.color(x: 9, y: 63) == .pureBlue)
      }
    }
  }

  @Test("animations with seeded random mutations are decoded or refused", arguments: 0..<4 as Range<UInt64>)
  func mutatedAnimationsAreDecodedOrRefused(seed: UInt64) throws {
    var generator = SplitMix(state: seed)
    func mutate(_ bytes: inout [UInt8]) {
      guard let index = bytes.indices.randomElement(using: &generator) else { return }
      bytes[index] = .random(in: 0...255, using: &generator)
    }
    for _ in 0..<150 {
      var gif = AnimatedGIFFixture.random(using: &generator).bytes
      for _ in 0..<3 { mutate(&gif) }
      var chunks = AnimatedPNGFixture.random(using: &generator).chunks
      for _ in 0..<2 { mutate(&chunks[Int.random(in: 0..<chunks.count, using: &generator)].payload) }
      for bytes in [gif, AnimatedPNGFixture.file(chunks)] {
        guard let image = try? decode(bytes, limits: DecodeLimits(pixels: 1 << 16)),
          let decoder = try image.animation?.makeDecoder()
        else { continue }
        for index in [0, 1, 2, image.frameCount - 1, 1] where index < image.frameCount {
          do throws(AnimationError) {
            let frame = try decoder.frame(index) { false }
            #expect(frame.width == image.pixelWidth && frame.height == image.pixelHeight)
          } catch {
            #expect(error != .cancelled)
          }
        }
      }
    }
  }
}
