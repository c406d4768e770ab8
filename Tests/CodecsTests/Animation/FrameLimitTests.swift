import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// The limits on the frames of an animation, and on the time of each frame.
@Suite(.timeLimit(.minutes(5))) struct FrameLimitTests {
  enum Format: CaseIterable {
    case gif, png, webP

    /// Six frames of 40x30, each of another color.
    var file: [UInt8] {
      let colors: [Color] = [.pureRed, .pureGreen, .pureBlue, .pureRed, .pureGreen, .pureBlue]
      switch self {
      case .gif: return AnimatedGIFFixture.solid(width: 40, height: 30, [0, 1, 2, 0, 1, 2]).bytes
      case .png: return AnimatedPNGFixture.solid(width: 40, height: 30, colors).bytes
      case .webP:
        let frames = colors.map { color in
          WebPAnimationFixture.Frame(width: 40, height: 30) { _, _ in color }
        }
        return WebPAnimationFixture(width: 40, height: 30, frames: frames).bytes
      }
    }
  }

  /// Decodes a file with a clock that advances by a second each time the decoder of a frame asks whether to stop.
  private func decoder(
    of file: [UInt8], _ limits: DecodeLimits, _ clock: ManualLoadingClock
  ) throws -> any FrameDecoding {
    var options = DecodeOptions(limits: limits)
    options.frameClock = FrameClock { clock.now }
    return try #require(try ImageCodecs().decode(file, options: options).animation).makeDecoder()
  }

  // MARK: Frames

  @Test(arguments: Format.allCases) func framesBeyondTheLimitAreNotPlayed(format: Format) throws {
    let file = format.file
    let all = try decode(file).composedFrames.map(\.colors)
    #expect(all.count == 6)
    for count in 2...7 {
      let frames = try decode(file, limits: DecodeLimits(frames: count)).composedFrames.map(\.colors)
      #expect(frames == Array(all.prefix(count)))
    }
    for count in [1, 0, -1] {
      let still = try decode(file, limits: DecodeLimits(frames: count))
      #expect(!still.isAnimated && still.bitmap.colors == all[0])
    }
  }

  @Test(arguments: Format.allCases) func pixelsOfAllFramesAreLimited(format: Format) throws {
    let canvas = 40 * 30
    for (pixels, frameCount) in [
      (6 * canvas, 6), (6 * canvas - 1, 5), (2 * canvas, 2), (2 * canvas - 1, 1), (0, 1),
    ] {
      #expect(try decode(format.file, limits: DecodeLimits(animationPixels: pixels)).frameCount == frameCount)
    }
  }

  @Test(arguments: Format.allCases) func previewsHaveNoFramesBeyondTheLimit(format: Format) throws {
    let counts = try parts(of: format.file, limits: DecodeLimits(frames: 3)).map(\.image.frameCount)

    #expect(counts.max() == 3 && counts.last == 3)
  }

  // MARK: Time

  @Test(arguments: Format.allCases) func frameThatTakesTooLongIsDamaged(format: Format) throws {
    for seconds in [0, 0.5] {
      let clock = ManualLoadingClock()
      let decoder = try decoder(of: format.file, DecodeLimits(secondsPerFrame: seconds), clock)
      let error = #expect(throws: AnimationError.self) {
        try decoder.frame(1) {
          clock.advance(by: 1)
          return false
        }
      }
      #expect(error == .damaged("a frame that takes longer than \(seconds) s"))
      guard seconds > 0 else { continue }
      #expect(try decoder.frame(1) { false }.width == 40, "the clock stands still")
    }
  }

  @Test func eachFrameOfASeekHasTheTimeOfOneFrame() throws {
    // Frames that show the frames below, so that a seek draws all of them.
    var fixture = AnimatedGIFFixture.solid(width: 40, height: 300, [0, 1, 2, 0, 1, 2])
    for index in 1..<6 {
      fixture.frames[index].width = 39
      fixture.frames[index].indices.removeLast(300)
    }
    func seek(_ seconds: Double) throws -> (seconds: Double, color: Color) {
      let clock = ManualLoadingClock()
      let decoder = try decoder(of: fixture.bytes, DecodeLimits(secondsPerFrame: seconds), clock)
      let frame = try decoder.frame(5) {
        clock.advance(by: 1)
        return false
      }
      return (Double(clock.now) / 1e9, frame.color(x: 20, y: 20))
    }
    let all = try seek(.infinity)
    #expect(all.color == .pureBlue)

    let limited = try seek(3)
    #expect(limited == all && all.seconds > 12, "the seek takes longer than a frame may take")
    #expect(throws: AnimationError.self) { try seek(0.5) }
  }

  @Test(arguments: Format.allCases) func cancellationIsNoDamage(format: Format) throws {
    let clock = ManualLoadingClock()
    let decoder = try decoder(of: format.file, DecodeLimits(secondsPerFrame: 0.5), clock)

    #expect(throws: AnimationError.cancelled) {
      try decoder.frame(1) {
        clock.advance(by: 1)
        return true
      }
    }
  }

  @Test func clockOfTheProcessorGoesOnWhileTheThreadWorks() throws {
    let start = FrameClock.processorTime.now
    var sum: UInt64 = 0
    while FrameClock.processorTime.now == start { sum &+= 1 }

    #expect(FrameClock.processorTime.now > start)
    #expect(FrameClock.processorTime == FrameClock.processorTime && FrameClock { 0 } != FrameClock { 0 })
  }
}
