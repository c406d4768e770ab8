import Testing
import VitrineAnimation
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// The players of images that views have replaced. The tests do not wait, so that no other test changes the number of
/// animations in the pool meanwhile.
@Suite(.timeLimit(.minutes(5))) struct ReplacedAnimationTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))

  private func addButton() -> Button {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    test.window.addSubview(button)
    return button
  }

  @Test(arguments: [Transition.none, .crossDissolve])
  func pausedAndEndedAnimationsAreReleasedWhenTheyAreReplaced(transition: Transition) throws {
    let before = FramePool.shared.animationCount
    let view = test.addView(nil)
    for isPaused in [true, false, true] {
      view.setContents(.animated(loopCount: 1), transition: transition)
      test.draw()
      test.advance(by: 0.25)
      if isPaused { view.animationPlayer?.pause() }
      test.advance(by: 5)
      let player = try #require(view.animationPlayer)
      #expect(!player.isPlaying && player.frameIndex > 0 && player.decodedBytes > 0)
      #expect(FramePool.shared.animationCount == before + 1)
    }
    view.setContents(.white, transition: transition)
    test.advance(by: 5)
    #expect(FramePool.shared.animationCount == before)
  }

  @Test func replacedAnimationPlaysUntilItsTransitionIsOver() throws {
    let before = FramePool.shared.animationCount
    let view = test.addView(.animated())
    test.draw()
    test.advance(by: 0.15)
    let player = try #require(view.animationPlayer)
    view.setContents(.animated(frameCount: 3), transition: .crossDissolve(0.5))
    test.draw()
    test.advance(by: 0.3)
    #expect(player.frameIndex > 1 && player.isRunning && FramePool.shared.animationCount == before + 2)
    test.advance(by: 0.5)
    #expect(!player.isPlaying && FramePool.shared.animationCount == before + 1)
  }

  @Test func animationIsReleasedWhenItsTransitionIsStopped() {
    let before = FramePool.shared.animationCount
    let view = test.addView(.animated())
    test.draw()
    test.advance(by: 0.15)
    view.setContents(.white, transition: .crossDissolve)
    test.draw()
    #expect(FramePool.shared.animationCount == before + 1)
    view.removeFromSuperview()
    #expect(FramePool.shared.animationCount == before)
  }

  @Test func removedViewIsReleasedBeforeItsFrameHasEnded() {
    let before = FramePool.shared.animationCount
    var view: ImageView? = test.addView(.animated())
    view?.playbackRate = 0.01
    test.draw()
    weak let player = view?.animationPlayer
    #expect(player != nil && FramePool.shared.animationCount == before + 1)

    view?.removeFromSuperview()
    view = nil

    #expect(player == nil && FramePool.shared.animationCount == before)
    test.draw()
    #expect(test.window.nextDeadline == nil)
  }

  @Test func stoppedPlayerKeepsNoFramesWhenItIsDrawn() throws {
    let before = FramePool.shared.animationCount
    let player = try #require(test.addView(.animated()).animationPlayer)
    test.draw()
    test.advance(by: 0.35)
    #expect(FramePool.shared.animationCount == before + 1)

    player.stop()
    test.draw()
    test.advance(by: 1)

    #expect(test.drawn == [0] && FramePool.shared.animationCount == before && player.decodedBytes == 0)
    #expect(test.window.nextDeadline == nil)
  }

  @Test func eachStateOfAButtonKeepsItsPlayerUntilItsImageIsReplaced() throws {
    let button = addButton()
    let states = (0..<12).map { ControlState(rawValue: $0) }
    let images = states.map { _ in Image.animated() }
    for (state, image) in zip(states, images) { button.setImage(image, for: state) }
    let players = try images.map { try #require(button.animationPlayer(for: $0)) }
    button.isHighlighted = true
    button.isHighlighted = false
    #expect(zip(images, players).allSatisfy { button.animationPlayer(for: $0) === $1 })

    for state in states.dropFirst() { button.setImage(.white, for: state) }
    #expect(button.animationPlayer(for: images[0]) === players[0])
    #expect(images.dropFirst().allSatisfy { button.animationPlayer(for: $0) == nil })
    button.setImage(nil, for: .normal)
    #expect(button.animationPlayer(for: images[0]) == nil)
  }

  @Test func imageOfTwoStatesKeepsItsPlayerInTheOther() {
    let button = addButton()
    let image = Image.animated()
    button.setImage(image, for: .normal)
    button.setBackgroundImage(image, for: .selected)
    let player = button.animationPlayer(for: image)
    button.setImage(nil, for: .normal)
    #expect(player != nil && button.animationPlayer(for: image) === player)
    button.setBackgroundImage(nil, for: .selected)
    #expect(button.animationPlayer(for: image) == nil)
  }

  @Test func bothImagesOfAnImageViewKeepTheirPlayers() {
    let before = FramePool.shared.animationCount
    let view = test.addView(.animated())
    let highlighted = Image.animated(frameCount: 3)
    view.highlightedImage = highlighted
    test.draw()
    test.advance(by: 0.15)
    let player = view.animationPlayer
    view.isHighlighted = true
    test.draw()
    test.advance(by: 0.15)
    #expect(FramePool.shared.animationCount == before + 2 && view.animationPlayer?.frameIndex == 1)
    let frame = player?.frameIndex ?? 0
    view.isHighlighted = false
    test.draw()
    #expect(view.animationPlayer === player && player?.frameIndex == frame && test.drawn == [UInt8(frame)])
    view.highlightedImage = nil
    #expect(FramePool.shared.animationCount == before + 1 && view.animationPlayer(for: highlighted) == nil)
  }

  @Test func playerOfAReplacedImageDoesNothing() throws {
    let before = FramePool.shared.animationCount
    let view = test.addView(.animated())
    test.draw()
    test.advance(by: 0.25)
    let player = try #require(view.animationPlayer)
    view.image = .white
    player.play()
    player.seek(toFrame: 3)
    player.playbackMode = .reverse
    test.advance(by: 1)
    #expect(!player.isPlaying && player.decodedBytes == 0 && FramePool.shared.animationCount == before)
    #expect(test.window.nextDeadline == nil)
  }

  @Test func handlerMayReplaceTheImage() {
    let before = FramePool.shared.animationCount
    let view = test.addView(.animated(loopCount: 1))
    view.animationPlayer?.endHandler = { [weak view] in view?.image = .white }
    test.draw()
    test.advance(by: 1)
    #expect(
      view.image?.isAnimated == false && FramePool.shared.animationCount == before
        && test.window.nextDeadline == nil)
  }

  @Test func imageOfAnotherViewHasNoPlayer() {
    #expect(test.addView(.animated()).animationPlayer(for: .animated()) == nil)
  }

  @Test func previewInTwoStatesGoesOnInBoth() throws {
    let button = addButton()
    let frames = CountingAnimation(frameCount: 5)
    let preview = frames.image(frameCount: 3, isComplete: false)
    let whole = frames.image
    button.setImage(preview, for: .normal)
    button.setBackgroundImage(preview, for: .normal)
    let player = try #require(button.animationPlayer(for: preview))
    player.playbackRate = 0.5
    var loops = 0
    player.loopHandler = { _ in loops += 1 }
    test.draw()
    test.advance(by: 0.3)
    #expect(test.drawn == [1, 1])

    button.setImage(whole, for: .normal)
    #expect(button.animationPlayer(for: preview) === player)
    test.draw()
    #expect(test.drawn == [1, 1])
    #expect(button.animationPlayer(for: whole)?.playbackRate == 0.5)
    button.setBackgroundImage(whole, for: .normal)
    test.draw()
    #expect(test.drawn == [1, 1] && !player.isPlaying)
    test.advance(by: 0.8)
    #expect(loops == 1)
  }
}
