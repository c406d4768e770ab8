import Synchronization
import Testing
import VitrineCodecs
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrineAnimation

/// Frames whose decode exceeds the limit on time, in the pool.
@Suite(.timeLimit(.minutes(5))) struct SlowFrameTests {
  private final class SlowClock: Sendable {
    let clock = ManualLoadingClock()
    let isSlow = Atomic(false)

    /// The time, ten seconds after the last call while `isSlow` is true.
    var now: Int64 {
      if isSlow.load(ordering: .relaxed) { clock.advance(by: 10) }
      return clock.now
    }
  }

  private let clock = SlowClock()

  private func image() throws -> Image {
    let frames = (0..<6).map { number in
      Image.Frame(bitmap: CountingAnimation(frameCount: 6, side: 32).bitmap(40 * number), duration: 0.1)
    }
    var options = DecodeOptions()
    options.frameClock = FrameClock { [clock] in clock.now }
    return try ImageCodecs().decode(try ImageCodecs().encode(frames: frames, as: .gif), options: options)
  }

  @Test func animationPlaysUpToTheFrameThatTakesTooLong() throws {
    let stream = try #require(FramePool().frames(of: try image().storingFrames(as: .streaming)) {})
    func frame(_ number: Int) -> Int? {
      stream.frame(for: FrameDemand(current: number), waitingFor: 30)?.number
    }
    #expect(frame(1) == 1 && frame(2) == 2)

    clock.isSlow.store(true, ordering: .relaxed)
    #expect(frame(3) == nil)
    clock.isSlow.store(false, ordering: .relaxed)

    #expect(frame(3) == nil && frame(4) == nil, "the frame is damaged")
    #expect(frame(1) == 1 && frame(2) == 2)
  }

  /// An animation of which each frame draws one more row, so that a frame depends on all frames before it.
  private func imageOfRows() throws -> Image {
    let frames = (0..<6).map { number in
      let bitmap = Bitmap(width: 32, height: 32, format: .rgba, isOpaque: true) { bytes, bytesPerRow in
        for offset in stride(from: 0, to: bytes.count, by: 4) {
          let color: UInt32 = offset / bytesPerRow < 4 * number ? 0xFF00_00FF : 0xFFFF_FFFF
          bytes.storeBytes(of: color, toByteOffset: offset, as: UInt32.self)
        }
      }
      return Image.Frame(bitmap: bitmap, duration: 0.1)
    }
    var options = DecodeOptions()
    options.frameClock = FrameClock { [clock] in clock.now }
    return try ImageCodecs().decode(try ImageCodecs().encode(frames: frames, as: .webp), options: options)
  }

  @Test func frameThatTakesTooLongOnTheWayToALaterOneIsFound() throws {
    let stream = try #require(FramePool().frames(of: try imageOfRows().storingFrames(as: .streaming)) {})
    func frame(_ number: Int) -> Int? {
      stream.frame(for: FrameDemand(current: number), waitingFor: 30)?.number
    }
    #expect(frame(2) == 2)

    clock.isSlow.store(true, ordering: .relaxed)
    #expect(frame(5) == nil)
    clock.isSlow.store(false, ordering: .relaxed)

    #expect(stream.firstDamaged == 3 && frame(4) == nil && frame(2) == 2)
  }
}
