import Testing
import VitrineGraphics
import VitrineTesting

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

  // MARK: Frames that are no longer needed

  /// A track, and its answers.
  private final class Bench {
    var track: FrameTrack

    init(_ track: FrameTrack) { self.track = track }

    func cancels() -> Bool { track.cancelsDecoding() }
  }

  private func bench(_ storage: FrameStorage = .automatic, views: UInt64...) -> Bench {
    var track = FrameTrack(frameCount: 10, frameBytes: 64, storage: storage, still: still)
    for view in views { track.add(view) }
    return Bench(track)
  }

  private func demand(_ frame: Int) -> FrameDemand {
    FrameDemand(current: frame, upcoming: [frame + 1, frame + 2, frame + 3])
  }

  @Test func decodingIsCancelledOnceWhenNoViewNeedsTheFrame() {
    let bench = bench(views: 1)
    bench.track.setDemand(demand(1), of: 1)
    bench.track.beginDecoding(1)
    #expect(!bench.cancels())

    bench.track.setDemand(nil, of: 1)

    #expect(bench.cancels())
    #expect(!bench.cancels())
  }

  @Test func decodingGoesOnForAnotherView() {
    let bench = bench(views: 1, 2)
    bench.track.setDemand(demand(1), of: 1)
    bench.track.setDemand(demand(0), of: 2)
    bench.track.beginDecoding(1)

    bench.track.remove(1)
    #expect(!bench.cancels())

    bench.track.remove(2)
    #expect(bench.cancels())
  }

  @Test func decodingGoesOnForAViewThatComesLater() {
    let bench = bench(views: 1, 2)
    bench.track.setDemand(demand(1), of: 1)
    bench.track.beginDecoding(1)

    bench.track.setDemand(demand(1), of: 2)
    bench.track.setDemand(nil, of: 1)

    #expect(!bench.cancels())
  }

  @Test func slowFrameIsNotCancelledWhileTheViewPlaysOn() {
    let bench = bench(views: 1)
    bench.track.setDemand(demand(1), of: 1)
    bench.track.beginDecoding(1)

    for frame in 2...6 {
      bench.track.setDemand(demand(frame), of: 1)
      #expect(!bench.cancels())
    }
  }

  @Test func seekingCancelsTheFrameButNotEachFrame() {
    let bench = bench(views: 1)
    bench.track.setDemand(demand(1), of: 1)
    bench.track.beginDecoding(1)

    bench.track.setDemand(demand(6), of: 1)
    #expect(bench.cancels())
    bench.track.endDecoding()

    bench.track.beginDecoding(6)
    bench.track.setDemand(demand(1), of: 1)
    #expect(!bench.cancels(), "a view that seeks again and again would show nothing")
    bench.track.endDecoding()

    bench.track.beginDecoding(1)
    bench.track.setDemand(demand(6), of: 1)
    #expect(bench.cancels())
  }

  @Test func preloadingGoesOnWhileAViewPlays() {
    let bench = bench(.preloaded, views: 1)
    bench.track.setDemand(demand(0), of: 1)
    bench.track.beginDecoding(7)
    #expect(!bench.cancels())

    bench.track.setDemand(nil, of: 1)
    #expect(bench.cancels())
  }
}
