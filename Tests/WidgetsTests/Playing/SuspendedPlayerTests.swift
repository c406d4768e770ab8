import Synchronization
import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineAnimation
@testable import VitrineWidgets

/// Views that show their frame and need no other: paused, ended, hidden and removed ones.
@Suite(.timeLimit(.minutes(5))) struct SuspendedPlayerTests {
  private static let decoderBytes = 100_000

  private let test = TestWindow(size: Size(width: 400, height: 300))

  init() { test.window.isInRealTime = true }

  private func untilDrawn(_ red: UInt8) async throws {
    // The time goes on only when all frames that were asked for are decoded, so that none is left out.
    try await until {
      if FramePool.shared.isIdle { test.advance(by: 0.01) }
      return test.drawn.contains(red)
    }
  }

  /// Waits until no thread decodes and what the threads have sent to the main actor was received.
  private func untilPoolIsIdle() async throws {
    try await until { FramePool.shared.isIdle }
    await drainMainQueue(rounds: 3)
  }

  /// Adds a scroll view that fills the window, with content that can be scrolled by 1000 points.
  private func addScrollView() -> ScrollView {
    let view = ScrollView(frame: test.window.bounds)
    view.contentSize = Size(width: view.bounds.width, height: view.bounds.height + 1000)
    test.window.addSubview(view)
    return view
  }

  private func image(_ animation: CountingAnimation, in ledger: MemoryLedger) -> Image {
    let image = animation.image.storingFrames(as: .streaming)
    image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding))
    return image
  }

  /// The reasons for which a view needs no frames.
  enum Reason: CaseIterable {
    case paused, ended, hidden, transparent, parentHidden, removed, movedAway, scrolledAway, windowHidden
  }

  @Test(arguments: Reason.allCases)
  func decoderOfAViewThatNeedsNoFramesIsReleasedForASoughtView(reason: Reason) async throws {
    let ledger = MemoryLedger(budget: Self.decoderBytes * 3 / 2)
    let animations = (0..<2).map { _ in
      CountingAnimation(
        frameCount: 6, loopCount: reason == .ended ? 1 : 0, decoderByteCount: Self.decoderBytes)
    }
    let parent = addScrollView()
    let view = test.addView(image(animations[0], in: ledger))
    parent.addSubview(view)
    if reason == .ended {
      try await untilDrawn(5)
      test.advance(by: 0.2)
      #expect(!view.isPlaying)
    } else {
      try await untilDrawn(1)
      // The next change is far away.
      view.playbackRate = 0.01
      test.advance(by: 0.1)
    }
    try await untilPoolIsIdle()
    switch reason {
    case .paused: view.pause()
    case .ended: break
    case .hidden: view.isHidden = true
    case .transparent: view.alpha = 0
    case .parentHidden: parent.isHidden = true
    case .removed: view.removeFromSuperview()
    case .movedAway: view.frame.origin.x = 1000
    case .scrolledAway: parent.contentOffset.y = 100
    case .windowHidden: test.window.isVisible = false
    }
    if reason == .movedAway || reason == .scrolledAway { test.draw() }

    // The views in a hidden window show nothing.
    let otherTest = reason == .windowHidden ? TestWindow() : test
    otherTest.window.isInRealTime = true
    let other = otherTest.addView(image(animations[1], in: ledger), x: 50)
    other.pause()
    other.seek(toFrame: 3)
    otherTest.draw()
    try await untilPoolIsIdle()

    let deadline = try #require(otherTest.window.nextDeadline)
    #expect(deadline <= otherTest.now, "the frame was decoded at once")
    otherTest.advance(by: 0.02)
    #expect(other.animationPlayer?.frameIndex == 3)
    #expect(animations.map { $0.counts.withLock(\.livingDecoders) } == [0, 1])
  }

  @Test func pausedViewDoesNotPreload() async throws {
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 5, gate: gate)
    let view = test.addView(animation.image.storingFrames(as: .preloaded))
    test.draw()
    await gate.waitUntilHeld(1)

    view.pause()
    gate.open()
    try await untilPoolIsIdle()
    #expect(animation.counts.withLock { $0.frames == [1] && $0.cancelled == [1] })

    view.play()
    try await untilDrawn(1)
    try await untilPoolIsIdle()
    #expect(view.animationPlayer?.decodedBytes == 4 * FrameTrack.smallestFrameBytes)
  }

  @Test(arguments: [Reason.hidden, .movedAway, .scrolledAway, .windowHidden])
  func viewThatIsNotOnTheScreenDoesNotPreload(reason: Reason) async throws {
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 5, gate: gate)
    let parent = addScrollView()
    let view = test.addView(animation.image.storingFrames(as: .preloaded))
    parent.addSubview(view)
    // The next change is far away.
    view.playbackRate = 0.01
    test.draw()
    await gate.waitUntilHeld(1)
    func setAway(_ isAway: Bool) {
      switch reason {
      case .hidden: view.isHidden = isAway
      case .movedAway: view.frame.origin.x = isAway ? 1000 : 0
      case .scrolledAway: parent.contentOffset.y = isAway ? 100 : 0
      default:
        test.window.isVisible = !isAway
        if !isAway { test.window.setNeedsDisplay() }
      }
      // A window that is hidden runs no frames.
      if test.window.isVisible { test.draw() }
    }

    setAway(true)
    gate.open()
    try await untilPoolIsIdle()
    #expect(animation.counts.withLock { $0.frames == [1] && $0.cancelled == [1] })
    #expect(test.window.nextDeadline == nil && view.animationPlayer?.isRunning == false)

    setAway(false)
    try await untilPoolIsIdle()
    #expect(view.animationPlayer?.decodedBytes == 4 * FrameTrack.smallestFrameBytes && view.isPlaying)
  }

  @Test func viewThatIsScrolledBackGoesOnAtItsFrame() async throws {
    let parent = addScrollView()
    let view = test.addView(.animated())
    parent.addSubview(view)
    try await untilDrawn(2)
    parent.contentOffset.y = 100
    test.advance(by: 5)
    #expect(test.window.nextDeadline == nil && view.animationPlayer?.isRunning == false)

    parent.contentOffset.y = 0
    test.draw()
    #expect(test.drawn == [2] && view.animationPlayer?.isRunning == true)
    try await untilDrawn(3)
  }

  @Test func viewThatIsStoppedWhileItWaitsKeepsNoFrames() async throws {
    let gate = Gate()
    let animation = CountingAnimation(frameCount: 5, gate: gate)
    let view = test.addView(animation.image)
    view.seek(toFrame: 2)
    test.draw()
    await gate.waitUntilHeld(1)

    view.animationPlayer?.stop()
    gate.open()
    test.draw()
    test.advance(by: 5)
    try await untilPoolIsIdle()

    #expect(animation.counts.withLock { $0.frames == [2] && $0.cancelled == [2] })
    #expect(view.animationPlayer?.decodedBytes == 0 && test.window.nextDeadline == nil)
  }

  @Test func soughtViewDecodesItsFrameOnly() async throws {
    let animation = CountingAnimation(frameCount: 9)
    let view = test.addView(animation.image)
    view.pause()
    for frame in [4, 2] {
      view.seek(toFrame: frame)
      try await untilDrawn(UInt8(frame))
      try await untilPoolIsIdle()
    }
    #expect(animation.counts.withLock { $0.frames } == [4, 2])
    #expect(view.animationPlayer?.frameIndex == 2 && test.window.nextDeadline == nil)
  }
}
