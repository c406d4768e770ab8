import Testing
import VitrineGraphics

@testable import VitrineAnimation

/// The frame that an animation shows at each time.
struct PlaybackTests {
  private static let durations = [0.1, 0.2, 0.3, 0.1, 0.3]

  private func playing(
    _ durations: [Double] = durations, loopCount: Int = 0, mode: PlaybackMode = .forward, at now: Double = 0
  ) -> Playback {
    var playback = Playback(durations: durations, loopCount: loopCount)
    playback.setMode(mode, at: now)
    playback.play(at: now)
    return playback
  }

  /// Returns the frames that are shown when the playback is asked at each of its changes.
  private func frames(_ playback: Playback, count: Int) -> [Int] {
    var playback = playback
    var frames = [playback.frame]
    while frames.count < count, let next = playback.nextChange {
      frames.append(playback.advance(to: next).frame)
    }
    return frames
  }

  /// Returns the frame at a time from the definition: the sums of the durations, added one after another.
  private func expectedFrame(at time: Double, durations: [Double]) -> Int {
    var rest = time.truncatingRemainder(dividingBy: durations.reduce(0, +))
    for (frame, duration) in durations.enumerated() {
      if rest < duration { return frame }
      rest -= duration
    }
    return durations.count - 1
  }

  @Test func frameIsTheOneThatTheDurationsGiveAtEachInstant() {
    var generator = SeededNumbers(state: 40)
    let durations = (0..<25).map { _ in Double.random(in: 0.011...0.2, using: &generator) }
    var playback = playing(durations)
    for instant in 1...240 {
      let time = Double(instant) * 0.25 + 0.000_01
      #expect(playback.advance(to: time).frame == expectedFrame(at: time, durations: durations), "\(time)")
    }
  }

  @Test func roundingErrorsDoNotDelayAFrame() {
    var playback = playing([Double](repeating: 0.04, count: 25))
    for frame in 1...100_000 {
      #expect(playback.advance(to: Double(frame) * 0.04).frame == frame % 25)
    }
  }

  @Test func lateCallShowsTheFrameOfItsTime() {
    var playback = playing()
    let progress = playback.advance(to: 0.65)
    #expect(progress == .init(frame: 3, steps: 3, endedLoops: 0, hasEnded: false))
    #expect(playback.advance(to: 3.35) == .init(frame: 2, steps: 5, endedLoops: 3, hasEnded: false))
    #expect(playback.endedLoops == 3)
  }

  @Test("SD-A14 all five frames are shown, and a loop ends")
  func allFramesAreShownAndALoopEnds() {
    var playback = playing()
    #expect(frames(playback, count: 6) == [0, 1, 2, 3, 4, 0])
    var loops = 0
    for _ in 0..<5 { loops += playback.advance(to: playback.nextChange ?? 0).endedLoops }
    #expect(loops == 1)
  }

  @Test("SD-A27 the order of frames in reverse mode")
  func reverseModeGoesFromTheLastFrameToTheFirst() {
    #expect(frames(playing(mode: .reverse), count: 7) == [4, 3, 2, 1, 0, 4, 3])
  }

  @Test("SD-A28 the order of frames in bounce mode")
  func bounceModeGoesThereAndBack() {
    #expect(frames(playing(mode: .bounce), count: 10) == [0, 1, 2, 3, 4, 3, 2, 1, 0, 1])
  }

  @Test("SD-A29 the order of frames in reversed bounce mode")
  func reverseBounceModeGoesBackAndThere() {
    #expect(frames(playing(mode: .reverseBounce), count: 10) == [4, 3, 2, 1, 0, 1, 2, 3, 4, 3])
  }

  @Test(arguments: PlaybackMode.allCases) func eachModeKeepsTheDurations(mode: PlaybackMode) {
    var playback = playing(mode: mode)
    var time = 0.0
    for _ in 0..<30 {
      let duration = Self.durations[playback.frame]
      let next = playback.nextChange ?? 0
      #expect(abs(next - time - duration) < 1e-9)
      playback.advance(to: next)
      time = next
    }
  }

  @Test(arguments: PlaybackMode.allCases) func oneAndTwoFramesPlayInEachMode(mode: PlaybackMode) {
    #expect(frames(playing([0.5], mode: mode), count: 3) == [0, 0, 0])
    let two = frames(playing([0.5, 0.5], mode: mode), count: 4)
    #expect(two == (mode == .forward || mode == .bounce ? [0, 1, 0, 1] : [1, 0, 1, 0]))
  }

  @Test("YY-B40 a loop count of n stops at the last frame", arguments: 1...4)
  func playingEndsAfterTheLastLoop(loopCount: Int) {
    var playback = playing(loopCount: loopCount)
    let end = Double(loopCount)
    #expect(playback.advance(to: end - 0.01).hasEnded == false)
    let progress = playback.advance(to: end)
    #expect(progress.hasEnded && progress.frame == 4 && playback.endedLoops == loopCount)
    #expect(playback.nextChange == nil && !playback.isPlaying)
    #expect(playback.advance(to: end + 100).frame == 4)
    playback.play(at: end + 100)
    #expect(playback.frame == 0 && playback.advance(to: end + 100.15).frame == 1)
  }

  @Test("YY-B40 a frame of less than 0.011 s is shown for 0.1 s, and 0 loops for ever")
  func shortDurationsAreReplaced() {
    let durations = ImageAnimation(
      durations: [0, 0.01, 0.0109, 0.011, -1, .nan, .infinity, 2], frameByteCount: 0, byteCount: 0
    ) { () throws(AnimationError) in throw .cancelled }.durations
    #expect(durations == [0.1, 0.1, 0.1, 0.011, 0.1, 0.1, 0.1, 2])
    var playback = playing(loopCount: 0)
    #expect(!playback.advance(to: 1e9 + 0.15).hasEnded && playback.frame == 1 && playback.isPlaying)
  }

  @Test func timesBeyondAllCountingAreHarmless() {
    var playback = playing(loopCount: 3)
    #expect(playback.advance(to: .greatestFiniteMagnitude).hasEnded)
    var endless = playing()
    _ = endless.advance(to: 1e300)
    #expect((0..<5).contains(endless.frame))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity]) func timesThatAreNotFiniteAreIgnored(time: Double) {
    var playback = playing()
    playback.advance(to: 0.15)
    #expect(playback.advance(to: time).frame == 1)
    playback.pause(at: time)
    playback.play(at: time)
    #expect(playback.frame == 1)
    playback.seek(toFrame: 2, at: 1)
    #expect(playback.advance(to: 1.35).frame == 3)
  }

  @Test func durationsBeyondAllCountingAreHarmless() {
    var playback = playing([.greatestFiniteMagnitude, .greatestFiniteMagnitude, 0, .nan, -1])
    playback.seek(toFrame: 2, at: 5)
    #expect(playback.nextChange.map { abs($0 - 5 - ImageAnimation.defaultDuration) < 1e-6 } == true)
    #expect(playback.advance(to: 1e300).frame == 4)
  }

  @Test func loopCountsBeyondAllCountingAreHarmless() {
    var playback = playing(loopCount: .max)
    #expect(playback.upcomingFrames(3) == [1, 2, 3])
    playback.loopCount = 1
    #expect(playback.advance(to: 2).hasEnded)
    playback.loopCount = .max
    playback.seek(toFrame: 1, at: 3)
    #expect(playback.frame == 1 && playback.endedLoops == 0)
  }

  @Test func playingEndsWithoutAStepIfFewerLoopsAreSetThanHaveEnded() {
    var playback = playing()
    playback.advance(to: 5.15)
    playback.loopCount = 2
    let progress = playback.advance(to: 5.2)
    #expect(progress == .init(frame: 4, steps: 0, endedLoops: 0, hasEnded: true))
  }

  @Test func pausedAnimationStays() {
    var playback = playing()
    playback.pause(at: 0.15)
    #expect(playback.nextChange == nil && playback.advance(to: 5).frame == 0)
    _ = playback
    var second = playing()
    second.advance(to: 0.15)
    second.pause(at: 0.15)
    #expect(second.advance(to: 7).frame == 1)
    second.play(at: 10)
    #expect(second.nextChange.map { abs($0 - 10.15) < 1e-9 } == true)
    #expect(second.advance(to: 10.1).frame == 1 && second.advance(to: 10.16).frame == 2)
  }

  @Test("SD-A22 without auto-play nothing is animated until it is started")
  func nothingPlaysBeforePlay() {
    var playback = Playback(durations: Self.durations, loopCount: 0)
    #expect(!playback.isPlaying && playback.nextChange == nil && playback.advance(to: 3.5).frame == 0)
    playback.play(at: 4)
    #expect(playback.isPlaying && playback.advance(to: 4.15).frame == 1)
  }

  @Test func seekingKeepsTheLoop() {
    var playback = playing(loopCount: 3)
    playback.advance(to: 1.5)
    for frame in 0..<5 {
      playback.seek(toFrame: frame, at: 1.5)
      #expect(playback.frame == frame && playback.endedLoops == 1)
    }
    #expect(playback.advance(to: 1.81).frame == 0 && playback.endedLoops == 2)
    playback.seek(toFrame: 99, at: 2)
    #expect(playback.frame == 4)
    playback.seek(toFrame: -1, at: 2)
    #expect(playback.frame == 0)
  }

  @Test func rateChangesTheSpeedFromNowOn() {
    var playback = playing()
    playback.advance(to: 0.1)
    playback.setRate(2, at: 0.1)
    #expect(playback.nextChange.map { abs($0 - 0.2) < 1e-9 } == true)
    #expect(playback.advance(to: 0.34).frame == 2 && playback.advance(to: 0.36).frame == 3)
    playback.setRate(0, at: 1)
    #expect(playback.rate == 0.01)
    playback.setRate(.nan, at: 1)
    #expect(playback.rate == 0.01)
    playback.setRate(1e9, at: 1)
    #expect(playback.rate == 100)
  }

  @Test func upcomingFramesFollowTheOrder() {
    var playback = playing(loopCount: 2)
    #expect(playback.upcomingFrames(3) == [1, 2, 3])
    playback.advance(to: 0.95)
    #expect(playback.upcomingFrames(3) == [0, 1, 2] && playback.upcomingFrames(0) == [])
    playback.advance(to: 1.95)
    #expect(playback.upcomingFrames(3) == [])
    #expect(playing([0.5, 0.5]).upcomingFrames(3) == [1])
    #expect(playing(mode: .bounce).upcomingFrames(9) == [1, 2, 3, 4])
  }

  @Test("SD-A21 playing goes on at the same frame when more frames have arrived")
  func moreFramesDoNotGoBack() {
    var playback = playing([0.1, 0.1, 0.1])
    playback.advance(to: 0.25)
    var longer = playback.continued(durations: [Double](repeating: 0.1, count: 6), loopCount: 0, at: 0.25)
    #expect(longer.frame == 2 && longer.isPlaying)
    #expect(longer.advance(to: 0.35).frame == 3)
  }

  @Test func partialAnimationStaysAtItsLastFrame() {
    var playback = Playback(durations: [0.1, 0.1, 0.1], loopCount: 0, isComplete: false)
    playback.play(at: 0)
    #expect(frames(playback, count: 10) == [0, 1, 2, 2])
    let progress = playback.advance(to: 50)
    #expect(progress == .init(frame: 2, steps: 2, endedLoops: 0, hasEnded: false))
    #expect(playback.isStalled && playback.nextChange == nil && playback.upcomingFrames(3).isEmpty)
  }

  @Test func newFramesAreShownAfterAWaitWithoutAJump() {
    var playback = Playback(durations: [0.1, 0.1], loopCount: 0, isComplete: false)
    playback.play(at: 0)
    playback.advance(to: 7)
    var longer = playback.continued(
      durations: [0.1, 0.1, 0.1, 0.1], loopCount: 0, isComplete: false, at: 7)
    #expect(longer.frame == 1 && longer.nextChange == 7)
    #expect(longer.advance(to: 7).frame == 2)
    #expect(longer.advance(to: 7.09).frame == 2)
    #expect(longer.advance(to: 7.1).frame == 3)
    longer.advance(to: 9)
    #expect(longer.isStalled)
    var whole = longer.continued(durations: [0.1, 0.1, 0.1, 0.1], loopCount: 1, at: 9)
    #expect(whole.advance(to: 9) == .init(frame: 3, steps: 0, endedLoops: 1, hasEnded: true))
  }

  @Test func lastFrameIsShownForItsDurationIfMoreArriveMeanwhile() {
    var playback = Playback(durations: [0.1, 0.1], loopCount: 0, isComplete: false)
    playback.play(at: 0)
    playback.advance(to: 0.1)
    let longer = playback.continued(durations: [0.1, 0.1, 0.1], loopCount: 0, isComplete: false, at: 0.16)
    #expect(longer.frame == 1 && longer.nextChange.map { abs($0 - 0.2) < 1e-9 } == true)
  }

  @Test(arguments: [PlaybackMode.bounce, .reverse, .reverseBounce])
  func partialAnimationDoesNotTurn(mode: PlaybackMode) {
    var playback = Playback(durations: [0.1, 0.1, 0.1], loopCount: 0, isComplete: false, mode: mode)
    playback.play(at: 0)
    let expected = mode == .bounce ? [0, 1, 2, 2] : [2, 1, 0, 0]
    #expect(frames(playback, count: 10) == expected && playback.mode == mode)
    playback.advance(to: 1)
    var whole = playback.continued(durations: [0.1, 0.1, 0.1, 0.1], loopCount: 0, at: 1)
    #expect(whole.mode == mode)
    #expect(whole.advance(to: 1).frame == (mode == .bounce || mode == .reverse ? 3 : 1))
  }

  @Test func pausedPartialAnimationStaysPaused() {
    var playback = Playback(durations: [0.1, 0.1], loopCount: 0, isComplete: false)
    playback.play(at: 0)
    playback.pause(at: 0.15)
    var longer = playback.continued(durations: [0.1, 0.1, 0.1], loopCount: 0, at: 5)
    #expect(longer.advance(to: 6).frame == playback.frame && !longer.isPlaying)
  }

  // MARK: Changes of the mode and of the frame

  @Test func animationThatHasBegunKeepsItsFirstFrameInAnotherMode() {
    var playback = playing()
    playback.pause(at: 0.05)
    playback.setMode(.reverse, at: 0.05)
    #expect(playback.frame == 0)

    var sought = Playback(durations: Self.durations, loopCount: 0)
    sought.seek(toFrame: 0, at: 0)
    sought.setMode(.reverse, at: 0)
    #expect(sought.frame == 0)

    sought.rewind(at: 0)
    sought.setMode(.forward, at: 0)
    sought.setMode(.reverse, at: 0)
    #expect(sought.frame == 4, "a rewound animation begins again")
  }

  @Test(arguments: [PlaybackMode.bounce, .reverseBounce])
  func seekingKeepsTheDirectionOfABounce(mode: PlaybackMode) {
    let isBounce = mode == .bounce
    var playback = playing([Double](repeating: 0.1, count: 5), mode: mode)
    playback.advance(to: 0.55)
    #expect(playback.frame == (isBounce ? 3 : 1))
    playback.seek(toFrame: 2, at: 0.55)
    #expect(frames(playback, count: 4) == (isBounce ? [2, 1, 0, 1] : [2, 3, 4, 3]))
    playback.seek(toFrame: isBounce ? 4 : 0, at: 0.55)
    #expect(frames(playback, count: 3) == (isBounce ? [4, 3, 2] : [0, 1, 2]))
    #expect(playback.endedLoops == 0)
  }

  // MARK: Frames that cannot be decoded

  /// A playback of 8 frames of 0.1 s, of which the frames from 3 on are left out when one of them is to be shown.
  private func damaged(_ mode: PlaybackMode, loopCount: Int = 0) -> (
    playback: Playback, frames: [Int], loops: Int
  ) {
    var playback = playing([Double](repeating: 0.1, count: 8), loopCount: loopCount, mode: mode)
    var frames: [Int] = []
    var loops = 0
    var now = 0.0
    while frames.count < 9 {
      loops += playback.advance(to: now).endedLoops
      if playback.frame >= 3 {
        _ = playback.leaveOut(from: 3, at: now)
        loops += playback.advance(to: now).endedLoops
      }
      frames.append(playback.frame)
      guard let next = playback.nextChange else { break }
      #expect(next > now && next < now + 0.11)
      now = next
    }
    return (playback, frames, loops)
  }

  @Test func framesBeforeADamagedOneAreRepeated() {
    #expect(damaged(.forward).frames == [0, 1, 2, 0, 1, 2, 0, 1, 2] && damaged(.forward).loops == 2)
    #expect(damaged(.reverse).frames == [2, 1, 0, 2, 1, 0, 2, 1, 0] && damaged(.reverse).loops == 2)
    #expect(damaged(.bounce).frames == [0, 1, 2, 1, 0, 1, 2, 1, 0])
    #expect(damaged(.reverseBounce).frames == [2, 1, 0, 1, 2, 1, 0, 1, 2])
  }

  @Test func loopsOfTheFramesBeforeADamagedOneEnd() {
    let (playback, frames, loops) = damaged(.forward, loopCount: 2)
    #expect(frames == [0, 1, 2, 0, 1, 2, 2] && loops == 2 && playback.hasEnded)
  }

  @Test func framesThatAreLeftOutCannotBeSought() {
    var playback = Playback(durations: Self.durations, loopCount: 1)
    playback.seek(toFrame: 4, at: 0)
    let results = [2, 2, 3].map { playback.leaveOut(from: $0, at: 0) }
    #expect(results == [true, false, false] && playback.frame == 1)
    playback.seek(toFrame: 3, at: 0)
    #expect(playback.frame == 1)
    playback.play(at: 0)
    #expect(playback.advance(to: 0.25).hasEnded && playback.frame == 1)
    _ = playback.leaveOut(from: 1, at: 1)
    #expect(playback.frame == 0 && playback.hasEnded)
  }

  @Test func firstFrameStaysWithoutChangesIfTheSecondIsDamaged() {
    var playback = playing()
    playback.advance(to: 0.1)
    _ = playback.leaveOut(from: 1, at: 0.1)
    playback.advance(to: 0.1)
    #expect(playback.frame == 0 && playback.nextChange == nil)
    #expect(playback.advance(to: 9).frame == 0)
  }

  @Test func firstFrameStaysUntilTheLastLoopIfTheSecondIsDamaged() {
    var playback = playing(loopCount: 65_535)
    playback.setRate(2, at: 0)
    _ = playback.leaveOut(from: 1, at: 0.02)
    let end = 65_535 * 0.1 / 2
    #expect(playback.nextChange.map { abs($0 - end) < 1e-6 } == true)
    playback.advance(to: 10)
    #expect(playback.nextChange.map { abs($0 - end) < 1e-6 } == true)
    let progress = playback.advance(to: end)
    #expect(progress.hasEnded && progress.frame == 0 && playback.endedLoops == 65_535)
  }

  @Test func fewerLoopsThanTheFirstFrameHasStayedEndAtOnce() {
    var playback = playing()
    _ = playback.leaveOut(from: 1, at: 0)
    playback.advance(to: 3)
    playback.loopCount = 2
    #expect(playback.nextChange.map { $0 <= 3 } == true && playback.advance(to: 3).hasEnded)
  }

  @Test(arguments: PlaybackMode.allCases) func restoredFramesFollowTheFrameThatIsShown(mode: PlaybackMode) {
    var playback = damaged(mode).playback
    playback.seek(toFrame: 1, at: 5)
    playback.advance(to: 5.04)
    let (frame, loops) = (playback.frame, playback.endedLoops)

    playback.restoreAllFrames(at: 5.04)

    #expect(playback.frame == frame && playback.endedLoops == loops)
    #expect(playback.nextChange.map { abs($0 - 5.1) < 1e-9 } == true)
    let expected =
      switch mode {
      case .forward: [1, 2, 3, 4, 5]
      case .reverse: [1, 0, 7, 6, 5]
      case .bounce: [1, 2, 3, 4, 5]
      case .reverseBounce: [1, 0, 1, 2, 3]
      }
    #expect(frames(playback, count: 5) == expected)
  }

  @Test func endStaysWhenFramesAreRestored() {
    var playback = damaged(.forward, loopCount: 2).playback
    playback.restoreAllFrames(at: 9)
    #expect(playback.hasEnded && playback.frame == 2 && playback.endedLoops == 2)
    playback.play(at: 9)
    #expect(frames(playback, count: 5) == [0, 1, 2, 3, 4])
  }

  @Test func framesThatWereNotLeftOutNeedNotBeRestored() {
    var playback = playing()
    playback.advance(to: 3.35)
    playback.restoreAllFrames(at: 3.4)
    #expect(playback.frame == 2 && playback.endedLoops == 3 && playback.advance(to: 3.65).frame == 3)
  }

  @Test func framesMayBeRestoredAfterLoopsBeyondAllCounting() {
    var playback = playing([Double](repeating: 0.1, count: 1000))
    _ = playback.leaveOut(from: 1, at: 0)
    playback.advance(to: 1e300)
    playback.restoreAllFrames(at: 1e300)
    #expect(playback.frame == 0 && playback.endedLoops > 1_000_000)
  }
}
