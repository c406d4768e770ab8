import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineAnimation
@testable import VitrineWidgets

/// Views whose next frame is being decoded, or cannot be decoded.
@Suite(.timeLimit(.minutes(5))) struct WaitingPlayerTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))

  /// Runs frames of the window until the drawn image has a red value.
  private func untilDrawn(_ red: UInt8) async throws {
    try await until {
      test.advance(by: 0.01)
      return test.drawn == [red]
    }
  }

  /// True if the window asks for a frame now.
  private var asksForAFrame: Bool { test.window.nextDeadline.map { $0 <= test.now } ?? false }

  /// The ways in which a view leaves the screen.
  enum Departure: CaseIterable {
    case hidden, transparent, movedAway, removed, parentHidden, windowHidden
  }

  private func setAway(_ view: View, _ parent: View, _ departure: Departure, _ isAway: Bool) {
    switch departure {
    case .hidden: view.isHidden = isAway
    case .transparent: view.alpha = isAway ? 0 : 1
    case .movedAway: view.frame.origin.x = isAway ? 1000 : 0
    case .removed: if isAway { view.removeFromSuperview() } else { parent.addSubview(view) }
    case .parentHidden: parent.isHidden = isAway
    case .windowHidden:
      test.window.isVisible = !isAway
      test.window.setNeedsDisplay()
    }
  }

  @Test(arguments: Departure.allCases, [true, false])
  func viewThatLeavesTheScreenWhileItWaitsNeedsNoFrame(departure: Departure, plays: Bool) async throws {
    test.window.isInRealTime = true
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 5, gate: gate)
    let parent = View(frame: test.window.bounds)
    test.window.addSubview(parent)
    let view = test.addView(animation.image)
    parent.addSubview(view)
    view.playbackRate = 0.01
    if !plays { view.pause() }
    view.seek(toFrame: 2)
    test.draw()
    try await until { animation.counts.withLock { $0.frames == [2] } }

    setAway(view, parent, departure, true)
    test.advance(by: 1)
    #expect(test.window.nextDeadline == nil && view.animationPlayer?.isRunning == false)
    gate.open()
    try await until { animation.counts.withLock { $0.cancelled == [2] } }
    await drainMainQueue(rounds: 3)
    test.advance(by: 5)
    #expect(animation.counts.withLock { $0.frames == [2] } && test.window.nextDeadline == nil)

    setAway(view, parent, departure, false)
    test.draw()
    try await untilDrawn(2)
    #expect(view.isPlaying == plays)
  }

  @Test func slowFrameIsShownWhenItIsDecoded() async throws {
    test.window.isInRealTime = true
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 5, gate: gate)
    let view = test.addView(animation.image)
    view.pause()
    view.seek(toFrame: 2)
    test.draw()
    try await until { animation.counts.withLock { $0.frames == [2] } }
    test.advance(by: 5)
    #expect(test.drawn == [0] && test.window.isIdle)
    gate.open()
    try await until { asksForAFrame }
    test.advance(by: 0.02)
    #expect(test.drawn == [2] && test.window.nextDeadline == nil)
  }

  /// Returns a paused view that shows frame 2, and waits in vain for the damaged frame 4.
  private func addDamagedView(isInRealTime: Bool) async throws -> ImageView {
    test.window.isInRealTime = isInRealTime
    let view = test.addView(CountingAnimation(frameCount: 5, damagedFrom: 3).image)
    view.pause()
    view.seek(toFrame: 2)
    try await untilDrawn(2)
    view.seek(toFrame: 4)
    try await until {
      test.advance(by: 0.1)
      return test.window.nextDeadline == nil
    }
    #expect(test.drawn == [2], "a damaged frame is not shown")
    return view
  }

  @Test(arguments: [true, false]) func damagedFrameIsNotAwaited(isInRealTime: Bool) async throws {
    let view = try await addDamagedView(isInRealTime: isInRealTime)
    let runs = test.framesRun
    view.setNeedsDisplay()
    test.advance(by: 10)
    #expect(test.framesRun <= runs + 2 && test.window.nextDeadline == nil)
  }

  @Test(arguments: [true, false]) func seekingLeavesADamagedFrame(isInRealTime: Bool) async throws {
    let view = try await addDamagedView(isInRealTime: isInRealTime)
    view.seek(toFrame: 1)
    #expect(asksForAFrame)
    try await untilDrawn(1)
    #expect(view.animationPlayer?.frameIndex == 1 && !view.isPlaying)
  }

  @Test(arguments: [true, false]) func playingLeavesADamagedFrame(isInRealTime: Bool) async throws {
    let view = try await addDamagedView(isInRealTime: isInRealTime)
    view.play()
    #expect(asksForAFrame)
    try await untilDrawn(0)
    try await untilDrawn(1)
    #expect(view.isPlaying)
  }

  @Test(arguments: [true, false]) func changeOfTheModeLeavesADamagedFrame(isInRealTime: Bool) async throws {
    let view = try await addDamagedView(isInRealTime: isInRealTime)
    view.playbackMode = .reverse
    view.play()
    #expect(asksForAFrame)
    for red in [1, 0, 2, 1] as [UInt8] { try await untilDrawn(red) }
    #expect(view.isPlaying)
  }

  @Test(arguments: [true, false]) func endedAnimationShowsItsFirstFrameWhenItPlaysAgain(isInRealTime: Bool)
    async throws
  {
    test.window.isInRealTime = isInRealTime
    let view = test.addView(CountingAnimation(frameCount: 3, loopCount: 1).image)
    try await untilDrawn(2)
    try await until {
      test.advance(by: 0.1)
      return !view.isPlaying
    }
    view.play()
    test.draw()
    #expect(test.drawn == [0] && view.animationPlayer?.frameIndex == 0)
  }

  @Test(arguments: [true, false]) func framesBeforeADamagedOneAreRepeated(isInRealTime: Bool) async throws {
    test.window.isInRealTime = isInRealTime
    let view = test.addView(CountingAnimation(frameCount: 1000, damagedFrom: 3).image)
    let player = try #require(view.animationPlayer)
    var (frames, loops) = ([Int](), [Int]())
    player.frameHandler = { frames.append($0) }
    player.loopHandler = { loops.append($0) }
    try await until {
      if FramePool.shared.isIdle { test.advance(by: 0.01) }
      return loops.count == 3
    }
    #expect(frames == [1, 2, 0, 1, 2, 0, 1, 2, 0] && loops == [1, 2, 3])
    #expect(player.droppedFrames == 0)
  }

  @Test(arguments: [true, false]) func endIsToldBeforeADamagedFrame(isInRealTime: Bool) async throws {
    test.window.isInRealTime = isInRealTime
    let view = test.addView(CountingAnimation(frameCount: 9, loopCount: 1, damagedFrom: 3).image)
    var ends = 0
    view.animationPlayer?.endHandler = { ends += 1 }
    try await until {
      if FramePool.shared.isIdle { test.advance(by: 0.01) }
      return !view.isPlaying
    }
    #expect(ends == 1 && view.animationPlayer?.frameIndex == 2)
    test.advance(by: 1)
    #expect(ends == 1 && test.window.nextDeadline == nil)
  }
}
