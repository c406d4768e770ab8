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
    var track = FrameTrack(frameCount: 10, frameBytes: 6400, storage: .automatic, still: still)
    #expect(track.bytes == 0)

    track.decoded(3, still)

    #expect(track.bytes == 6400)
    #expect(track.keepsAll)
  }

  @Test func tinyFramesCountWithTheirObjects() {
    func track(_ frameCount: Int, _ storage: FrameStorage) -> FrameTrack {
      FrameTrack(frameCount: frameCount, frameBytes: 4, storage: storage, byteLimit: 64 << 20, still: still)
    }
    let kept = FrameTrack.keptBytes / FrameTrack.smallestFrameBytes
    #expect(track(kept, .automatic).keepsAll && !track(kept + 1, .automatic).keepsAll)
    #expect(track(65_536, .preloaded).keepsAll && !track(131_072, .preloaded).keepsAll)

    var small = track(kept, .automatic)
    small.decoded(1, still)
    #expect(small.bytes == FrameTrack.smallestFrameBytes)
  }

  @Test func framesArePreloadedInOrderAndAgainAfterTheyWereReleased() {
    var track = FrameTrack(frameCount: 8, frameBytes: 64, storage: .preloaded, still: still)
    track.setDemand(FrameDemand(current: 0), of: 1)
    func preload() -> [Int] {
      var frames: [Int] = []
      while let next = track.next(ahead: 3) {
        frames.append(next.frame)
        track.decoded(next.frame, still)
      }
      return frames
    }
    track.decoded(3, still)
    #expect(preload() == [1, 2, 4, 5, 6, 7])
    #expect(track.firstMissing == 8 && !track.hasWork(for: 1, ahead: 3))

    track.setDemand(FrameDemand(current: 4, upcoming: [5]), of: 1)
    #expect(track.take(keeping: 1).count == 5 && track.firstMissing == 1)
    #expect(preload() == [1, 2, 3, 6, 7])

    _ = track.take(keeping: 0)
    track.failed(3)
    #expect(preload() == [1, 2] && !track.hasWork(for: 1, ahead: 3))
  }

  // MARK: Several views

  @Test func framesAreReleasedWhenTheLastOfSeveralViewsHasGoneOn() {
    let views: Range<UInt64> = 0..<20
    var track = FrameTrack(frameCount: 100, frameBytes: 64, storage: .streaming, still: still)
    for step in 1..<90 {
      for view in views {
        let before = track.needs(of: view)
        track.setDemand(demand(step), of: view)
        #expect(track.hasWork(for: view, ahead: 3) == (track.next(ahead: 3) != nil))
        let taken = track.takeUnneeded(since: before, ahead: 3)
        #expect(taken.count == (step > 1 && view == views.upperBound - 1 ? 1 : 0))
      }
      while let next = track.next(ahead: 3) { track.decoded(next.frame, still) }
      #expect(Set(track.images.keys) == [0, step, step + 1, step + 2, step + 3])
    }
  }

  @Test func viewThatReturnsReleasesTheFramesOfItsLastVisit() {
    var track = FrameTrack(frameCount: 100, frameBytes: 64, storage: .streaming, still: still)
    track.setDemand(demand(1), of: 1)
    while let next = track.next(ahead: 3) { track.decoded(next.frame, still) }
    track.setDemand(nil, of: 1)
    let before = track.needs(of: 1)
    track.setDemand(demand(50), of: 1)
    #expect(track.takeUnneeded(since: before, ahead: 3).count == 4)
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
