import Testing
import VitrineAnimation
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// The settings that stay with an animation when another variant is shown, and those that stay with the view.
@Suite(.timeLimit(.minutes(5))) struct PlaybackSettingsTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))

  /// Returns an animation of five frames with the red values 0 to 4.
  private func animation(
    side: Int, file: [UInt8] = [1, 2, 3], loopCount: Int = 0, gate: Gate = Gate(isOpen: true)
  ) -> Image {
    CountingAnimation(frameCount: 5, side: side, loopCount: loopCount, gate: gate, file: file).image
  }

  private func drawnSides() -> [Int] { test.images.map(\.image.pixelWidth) }

  @Test(arguments: [Transition.none, .crossDissolve], [8, 16, 32])
  func largerVariantPlaysOnAtTheSameTime(transition: Transition, side: Int) throws {
    let view = test.addView(animation(side: 16))
    let player = try #require(view.animationPlayer)
    player.playbackMode = .bounce
    test.draw()
    test.advance(by: 0.25)
    (player.playbackRate, player.loopCount) = (0.5, 3)
    var frames: [Int] = []
    player.frameHandler = { frames.append($0) }
    let (before, ended) = (FramePool.shared.animationCount, player.endedLoops)

    view.setContents(animation(side: side), transition: transition)
    test.draw()

    #expect(view.animationPlayer === player && player.image === view.image && !view.isInTransition)
    #expect(test.drawn == [2] && drawnSides() == [side] && frames.isEmpty)
    #expect(player.playbackRate == 0.5 && player.playbackMode == .bounce && player.loopCount == 3)
    #expect(player.endedLoops == ended && FramePool.shared.animationCount == before)
    test.advance(by: 0.08)
    #expect(test.drawn == [2])
    test.advance(by: 0.03)
    #expect(test.drawn == [3] && frames == [3], "half of the frame was shown before")
  }

  @Test func pausedAnimationStaysPausedInALargerVariant() {
    let view = test.addView(animation(side: 8))
    test.draw()
    test.advance(by: 0.25)
    view.animationPlayer?.pause()
    view.image = animation(side: 16)
    test.draw()
    test.advance(by: 1)
    #expect(test.drawn == [2] && drawnSides() == [16] && !view.isPlaying)
    #expect(test.window.nextDeadline == nil)
  }

  @Test func endedAnimationStaysAtItsLastFrameInALargerVariant() {
    let view = test.addView(animation(side: 8, loopCount: 2))
    test.draw()
    test.advance(by: 2)
    view.image = animation(side: 16, loopCount: 2)
    test.draw()
    test.advance(by: 2)
    #expect(test.drawn == [4] && drawnSides() == [16] && !view.isPlaying)
    #expect(view.animationPlayer?.endedLoops == 2)
    view.play()
    test.draw()
    test.advance(by: 0.15)
    #expect(test.drawn == [1])
  }

  @Test func frameOfTheSmallerVariantIsShownUntilTheLargerOneIsDecoded() async throws {
    test.window.isInRealTime = true
    let view = test.addView(animation(side: 8))
    view.pause()
    view.seek(toFrame: 2)
    try await until {
      test.advance(by: 0.05)
      return view.animationPlayer?.frameIndex == 2
    }
    let gate = Gate()
    view.image = animation(side: 16, gate: gate)
    test.draw()
    await gate.waitUntilHeld(1)
    test.advance(by: 0.1)
    let image = try #require(test.images.first)
    #expect(test.drawn == [2] && image.image.pixelWidth == 8)
    #expect(image.source == Rect(x: 0, y: 0, width: 8, height: 8))
    #expect(image.destination == Rect(x: 0, y: 0, width: 40, height: 40))

    gate.open()
    try await until {
      test.advance(by: 0.05)
      return drawnSides() == [16]
    }
    #expect(test.drawn == [2] && !view.isPlaying)
  }

  @Test func variantInAnotherStateOfAButtonHasAPlayerOfItsOwn() throws {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    test.window.addSubview(button)
    let (small, large) = (animation(side: 8), animation(side: 16))
    button.setImage(small, for: .normal)
    let player = try #require(button.animationPlayer(for: small))
    button.setImage(large, for: .highlighted)
    #expect(button.animationPlayer(for: small) === player && button.animationPlayer(for: large) !== player)
  }

  @Test func otherBytesStartOverWithTheSettingsOfTheView() throws {
    let view = test.addView(animation(side: 8))
    (view.playbackRate, view.playbackMode) = (2, .bounce)
    view.animationPlayer?.loopCount = 7
    test.draw()
    test.advance(by: 0.11)
    view.pause()
    let player = try #require(view.animationPlayer)
    #expect(player.frameIndex == 2)

    view.image = animation(side: 8, file: [1, 2, 4])
    test.draw()
    test.advance(by: 1)
    let other = try #require(view.animationPlayer)
    #expect(other !== player && test.drawn == [0] && other.loopCount == 0)
    #expect(other.playbackRate == 2 && other.playbackMode == .bounce && !view.isPlaying)
    view.play()
    test.draw()
    test.advance(by: 0.06)
    #expect(test.drawn == [1] && view.isPlaying)
  }

  @Test func settingsOfAPlayerBelongToItsAnimation() throws {
    let view = test.addView(animation(side: 8))
    let player = try #require(view.animationPlayer)
    (player.playbackRate, player.playbackMode) = (3, .reverse)
    player.pause()
    #expect(view.playbackRate == 3 && view.playbackMode == .reverse)
    view.image = animation(side: 8, file: [4])
    #expect(view.playbackRate == 1 && view.playbackMode == .forward && view.isPlaying)
  }

  @Test func settingsAreMadeBeforeThereIsAnAnimation() {
    let view = test.addView(nil)
    view.playbackRate = 1000
    view.playbackRate = .nan
    #expect(view.playbackRate == 100)
    (view.playbackRate, view.playbackMode) = (2, .reverse)
    view.image = .white
    #expect(view.playbackRate == 2 && view.playbackMode == .reverse && !view.isPlaying)
    view.image = animation(side: 8)
    test.draw()
    test.advance(by: 0.06)
    #expect(test.drawn == [3] && view.isPlaying)
  }

  @Test func pausedButtonPlaysInNoState() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    test.window.addSubview(button)
    let images = [animation(side: 8), animation(side: 8, file: [4])]
    button.setImage(images[0], for: .normal)
    test.draw()
    button.pause()
    button.setImage(images[1], for: .highlighted)
    for isHighlighted in [false, true] {
      button.isHighlighted = isHighlighted
      test.draw()
      test.advance(by: 1)
      #expect(test.drawn == [0] && test.window.nextDeadline == nil)
    }
    button.play()
    #expect(images.allSatisfy { button.animationPlayer(for: $0)?.isPlaying == true })
  }

  @Test func playStartsAllStatesOfAButtonWithoutAutoplay() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    button.autoplaysAnimations = false
    let images = [animation(side: 8), animation(side: 8, file: [4])]
    button.setImage(images[0], for: .normal)
    button.setBackgroundImage(images[1], for: .normal)
    button.play()
    test.window.addSubview(button)
    test.draw()
    test.advance(by: 0.15)
    #expect(test.drawn == [1, 1])
  }
}
