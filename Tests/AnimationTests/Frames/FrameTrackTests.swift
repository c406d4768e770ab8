import Testing
import VitrineGraphics

@testable import VitrineAnimation

/// The decoded frames of one animation.
@Suite struct FrameTrackTests {
  private let still = Image(CountingAnimation(frameCount: 1).bitmap(0))

  @Test(arguments: [Int.max, .max / 2, .max / 3])
  func bytesOfAbsurdFramesAreSaturated(frameBytes: Int) {
    var track = FrameTrack(frameCount: 10, frameBytes: frameBytes, storage: .automatic, still: still)

    for frame in 1..<10 { track.decoded(frame, still) }

    #expect(track.bytes == .max)
    #expect(!track.keepsAll)
  }

  @Test func firstFrameIsNotCounted() {
    var track = FrameTrack(frameCount: 10, frameBytes: 64, storage: .automatic, still: still)
    #expect(track.bytes == 0)

    track.decoded(3, still)

    #expect(track.bytes == 64)
    #expect(track.keepsAll)
  }
}
