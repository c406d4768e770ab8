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

  private var asksForAFrame: Bool { test.window.nextDeadline.map { $0 <= test.now } ?? false }

  private func image(_ animation: CountingAnimation, in ledger: MemoryLedger) -> Image {
    let image = animation.image.storingFrames(as: .streaming)
    image.countAsShown(movedFrom: MemoryReservation(0, in: ledger, as: .decoding))
    return image
  }

  /// The reasons for which a view needs no frames.
  enum Reason: CaseIterable {
    case paused, ended, hidden, transparent, parentHidden, removed
  }

  @Test(arguments: Reason.allCases)
  func decoderOfAViewThatNeedsNoFramesIsReleasedForASoughtView(reason: Reason) async throws {
    let ledger = MemoryLedger(budget: Self.decoderBytes * 3 / 2)
    let animations = (0..<2).map { _ in
      CountingAnimation(
        frameCount: 6, loopCount: reason == .ended ? 1 : 0, decoderByteCount: Self.decoderBytes)
    }
    let parent = View(frame: test.window.bounds)
    test.window.addSubview(parent)
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
    }

    let other = test.addView(image(animations[1], in: ledger), x: 50)
    other.pause()
    other.seek(toFrame: 3)
    test.draw()
    try await untilPoolIsIdle()

    #expect(asksForAFrame, "the frame was decoded at once")
    test.advance(by: 0.02)
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
