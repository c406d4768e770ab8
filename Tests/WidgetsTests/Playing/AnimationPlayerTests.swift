import Testing
import VitrineAnimation
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// Animated images in views.
@Suite(.timeLimit(.minutes(5))) struct AnimationPlayerTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))
  private var window: Window { test.window }

  private var drawn: [UInt8] { test.drawn }

  @Test("SD-A7 a view of an animated image has a player, SD-A6 one of a still image has none")
  func viewOfAnAnimatedImageHasAPlayer() {
    #expect(test.addView(.animated()).animationPlayer?.isPlaying == true)
    let still = test.addView(.white)
    #expect(still.animationPlayer == nil && !still.isPlaying)
    #expect(test.addView(nil).animationPlayer == nil)
  }

  @Test func framesAreShownAtTheirTimes() {
    _ = test.addView(.animated())
    test.draw()
    var seen: [UInt8] = []
    for _ in 0..<12 {
      seen += drawn
      test.advance(by: 0.1)
    }
    #expect(seen == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1])
  }

  @Test func windowIsWokenOnlyForFrames() {
    _ = test.addView(.animated())
    test.draw()
    let before = test.framesRun
    test.advance(by: 2.05)
    #expect(test.framesRun - before == 20)
    #expect(window.isIdle)
  }

  @Test("SD-A13 hiding the view stops the player, and showing it goes on at the same frame")
  func hiddenViewStopsPlaying() {
    let view = test.addView(.animated())
    test.draw()
    test.advance(by: 0.25)
    view.isHidden = true
    test.advance(by: 0.1)
    let (frame, runs) = (view.animationPlayer?.frameIndex, test.framesRun)
    test.advance(by: 10)
    #expect(view.animationPlayer?.isRunning == false && window.nextDeadline == nil && test.framesRun == runs)
    view.isHidden = false
    test.draw()
    #expect(view.animationPlayer?.frameIndex == frame && view.animationPlayer?.isRunning == true)
    test.advance(by: 0.1)
    #expect(view.animationPlayer?.frameIndex == frame.map { $0 + 1 })
  }

  @Test(arguments: ["transparent", "moved away", "removed", "another image", "parent is hidden"])
  func viewThatIsNotDrawnStopsPlaying(reason: String) {
    let parent = View(frame: window.bounds)
    window.addSubview(parent)
    let image = Image.animated()
    let view = test.addView(image)
    parent.addSubview(view)
    test.draw()
    test.advance(by: 0.15)
    switch reason {
    case "transparent": view.alpha = 0
    case "moved away": view.frame = Rect(x: 1000, y: 0, width: 40, height: 40)
    case "removed": view.removeFromSuperview()
    case "another image": view.image = .white
    default: parent.isHidden = true
    }
    test.advance(by: 1)
    let runs = test.framesRun
    test.advance(by: 10)
    #expect(test.framesRun == runs && window.nextDeadline == nil)
  }

  @Test("SD-A22 without auto-play nothing is animated until it is started")
  func playingBeginsWithACall() {
    let view = test.addView(nil)
    view.autoplaysAnimations = false
    view.image = .animated()
    test.draw()
    test.advance(by: 1)
    #expect(drawn == [0] && !view.isPlaying && window.nextDeadline == nil)
    view.play()
    test.draw()
    test.advance(by: 0.15)
    #expect(drawn == [1] && view.isPlaying)
  }

  @Test("SD-A19 stopping keeps the frame and its number")
  func pausedViewKeepsItsFrame() {
    let view = test.addView(.animated())
    test.draw()
    test.advance(by: 0.25)
    view.pause()
    test.advance(by: 5)
    #expect(view.animationPlayer?.frameIndex == 2 && drawn == [2] && !view.isPlaying)
    #expect(view.animationPlayer.map { $0.decodedBytes > 0 } == true)
    #expect(window.nextDeadline == nil)
    view.play()
    test.draw()
    test.advance(by: 0.1)
    #expect(drawn == [3])
  }

  @Test("SD-A20 stopping with clearing releases the decoded frames")
  func stoppedPlayerReleasesItsFrames() {
    let view = test.addView(.animated())
    test.draw()
    test.advance(by: 0.35)
    #expect(view.animationPlayer.map { $0.decodedBytes > 0 } == true)
    view.animationPlayer?.stop()
    #expect(view.animationPlayer?.decodedBytes == 0)
    test.advance(by: 1)
    #expect(view.animationPlayer?.frameIndex == 0 && drawn == [0] && !view.isPlaying)
  }

  @Test("SD-A23 seeking calls the frame handler with each index in order")
  func seekingShowsTheFrame() {
    let view = test.addView(.animated())
    view.pause()
    test.draw()
    var frames: [Int] = []
    view.animationPlayer?.frameHandler = { frames.append($0) }
    for frame in [1, 2, 3, 4, 0, 99] {
      view.seek(toFrame: frame)
      test.advance(by: 0.05)
      #expect(drawn == [UInt8(min(frame, 4))])
    }
    #expect(frames == [1, 2, 3, 4, 0, 4])
    test.advance(by: 1)
    #expect(drawn == [4] && window.nextDeadline == nil)
  }

  @Test("YY-B40 an animation with a loop count stops at its last frame and tells it")
  func lastLoopEndsPlaying() {
    let view = test.addView(.animated(loopCount: 2))
    var calls: [String] = []
    view.animationPlayer?.loopHandler = { calls.append("loop \($0)") }
    view.animationPlayer?.endHandler = { calls.append("end") }
    test.draw()
    test.advance(by: 5)
    #expect(calls == ["loop 1", "loop 2", "end"])
    #expect(drawn == [4] && !view.isPlaying && window.nextDeadline == nil)
    view.play()
    test.draw()
    test.advance(by: 0.15)
    #expect(drawn == [1] && view.isPlaying)
  }

  @Test func endHandlerMayPlayAgain() {
    let view = test.addView(.animated(frameCount: 3, loopCount: 1))
    view.animationPlayer?.endHandler = { [weak view] in view?.play() }
    test.draw()
    test.advance(by: 0.05)
    var seen: [UInt8] = []
    for _ in 0..<6 {
      seen += drawn
      test.advance(by: 0.1)
    }
    #expect(seen == [0, 1, 2, 0, 1, 2])
  }

  @Test func frameHandlerMaySeek() throws {
    let player = try #require(test.addView(.animated()).animationPlayer)
    var frames: [Int] = []
    player.frameHandler = { [weak player] frame in
      frames.append(frame)
      if frame == 3 { player?.seek(toFrame: 0) }
    }
    test.draw()
    test.advance(by: 0.65)
    #expect(frames == [1, 2, 3, 0, 1, 2, 3, 0] && player.droppedFrames == 0)
  }

  @Test func frameHandlerMayChangeTheMode() throws {
    let player = try #require(test.addView(.animated()).animationPlayer)
    var frames: [Int] = []
    player.frameHandler = { [weak player] frame in
      frames.append(frame)
      if frame == 3 { player?.playbackMode = .reverse }
    }
    test.draw()
    test.advance(by: 0.65)
    #expect(frames == [1, 2, 3, 2, 1, 0] && player.droppedFrames == 0)
  }

  @Test func loopHandlerGetsTheLoopsBeforeAChangeByTheFrameHandler() throws {
    let player = try #require(test.addView(.animated(frameCount: 3)).animationPlayer)
    var loops: [Int] = []
    player.frameHandler = { [weak player] frame in if frame == 0 { player?.playbackMode = .reverse } }
    player.loopHandler = { loops.append($0) }
    test.draw()
    test.advance(by: 0.35)
    #expect(loops == [1] && player.endedLoops == 0)
  }

  @Test(arguments: ["frame", "loop"]) func handlersOfAnEndedPlayerAreNotCalled(replacing: String) throws {
    let view = test.addView(.animated(frameCount: 3, loopCount: 1))
    let player = try #require(view.animationPlayer)
    player.playbackMode = .reverse
    var calls: [String] = []
    func handle(_ name: String) {
      calls.append(name)
      if name == replacing { view.image = .white }
    }
    // The last frame is shown late, with the end of the loop.
    player.frameHandler = { if $0 == 0 { handle("frame") } }
    player.loopHandler = { _ in handle("loop") }
    player.endHandler = { handle("end") }
    test.draw()
    test.window.now += 1
    test.advance(by: 1)
    #expect(calls == (replacing == "frame" ? ["frame"] : ["frame", "loop"]))
    #expect(view.image?.isAnimated == false && window.nextDeadline == nil)
  }

  @Test func frameHandlerMayStop() throws {
    let player = try #require(test.addView(.animated()).animationPlayer)
    player.frameHandler = { [weak player] frame in if frame == 2 { player?.stop() } }
    test.draw()
    test.advance(by: 1)
    #expect(drawn == [0] && player.frameIndex == 0 && player.decodedBytes == 0)
    #expect(window.nextDeadline == nil)
  }

  @Test func modeAndRateChangeWhilePlaying() {
    let view = test.addView(.animated())
    test.draw()
    test.advance(by: 0.25)
    view.playbackMode = .reverse
    test.advance(by: 0.1)
    #expect(drawn == [1] && view.playbackMode == .reverse)
    view.playbackRate = 2
    test.advance(by: 0.06)
    #expect(drawn == [0] && view.playbackRate == 2)
  }

  @Test func viewsOfOneImageMayHaveDifferentPhases() {
    let image = Image.animated()
    let views = [test.addView(image), test.addView(image, x: 50)]
    test.draw()
    views[1].seek(toFrame: 3)
    test.advance(by: 0.15)
    #expect(drawn == [1, 4])
  }

  @Test func eachStateOfAButtonPlays() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    let (normal, pressed) = (Image.animated(), Image.animated(frameCount: 3))
    button.setImage(normal, for: .normal)
    button.setBackgroundImage(pressed, for: .normal)
    button.setImage(pressed, for: .highlighted)
    window.addSubview(button)
    test.draw()
    test.advance(by: 0.25)
    #expect(drawn == [2, 2])
    button.isHighlighted = true
    test.advance(by: 0.1)
    #expect(drawn == [0, 0] && button.animationPlayer(for: pressed)?.frameIndex == 0)
    let frame = button.animationPlayer(for: normal)?.frameIndex
    test.advance(by: 10)
    #expect(button.animationPlayer(for: normal)?.isRunning == false)
    button.isHighlighted = false
    test.draw()
    #expect(button.animationPlayer(for: normal)?.frameIndex == frame, "the state goes on where it was")
  }

  @Test func lateWindowLeavesFramesOut() {
    let before = FramePool.shared.report.droppedFrames
    let view = test.addView(.animated())
    test.draw()
    window.update(at: 0.35)
    _ = window.drawList(for: window.bounds)
    #expect(drawn == [3] && view.animationPlayer?.droppedFrames == 2)
    #expect(FramePool.shared.report.droppedFrames == before + 2)
  }

  @Test func replacedImageStartsAtItsFirstFrame() {
    let view = test.addView(.animated())
    test.draw()
    test.advance(by: 0.25)
    view.image = .animated(frameCount: 3)
    test.draw()
    #expect(drawn == [0])
    test.advance(by: 0.1)
    #expect(drawn == [1])
  }

  /// A preview of `Image.animated()` with the frames that have arrived.
  private func preview(frameCount: Int) -> Image {
    let bitmaps = (0..<frameCount).map { Bitmap.frame($0) }
    let animation = ImageAnimation(
      durations: [Double](repeating: 0.1, count: frameCount), frameByteCount: 64, byteCount: 64,
      isComplete: false
    ) { () throws(AnimationError) in ArrivedFrames(bitmaps) }
    return Image(bitmaps[0], animation: animation, isPreview: true)
  }

  private nonisolated final class ArrivedFrames: FrameDecoding {
    private let bitmaps: [Bitmap]

    init(_ bitmaps: [Bitmap]) { self.bitmaps = bitmaps }

    func frame(_ index: Int, isCancelled: () -> Bool) throws(AnimationError) -> Bitmap {
      guard bitmaps.indices.contains(index) else { throw .damaged("frame \(index)") }
      return bitmaps[index]
    }
  }

  @Test("SD-A15 a partial animated image marks its view as progressive, the final one does not")
  func previewMarksItsViewAsProgressive() {
    let view = test.addView(preview(frameCount: 2))
    #expect(view.isProgressive && view.animationPlayer?.isProgressive == true)
    view.image = .animated()
    #expect(!view.isProgressive && view.animationPlayer?.isProgressive == false)
    view.image = .white
    #expect(!view.isProgressive)
  }

  @Test(
    "SD-A21 playing a partial image never goes backwards, the number of frames grows, the final image is not progressive"
  )
  func previewsPlayOn() throws {
    let view = test.addView(preview(frameCount: 2))
    let player = try #require(view.animationPlayer)
    var (frames, loops) = ([Int](), 0)
    player.frameHandler = { frames.append($0) }
    player.loopHandler = { _ in loops += 1 }
    test.draw()
    test.advance(by: 0.55)
    #expect(drawn == [1] && player.isPlaying && !player.isRunning)
    #expect(window.nextDeadline == nil && window.isIdle, "waiting for frames costs nothing")

    for count in [3, 4] {
      view.image = preview(frameCount: count)
      #expect(view.animationPlayer === player && player.image.frameCount == count && view.isProgressive)
      test.draw()
      #expect(drawn == [UInt8(count - 2)])
      test.advance(by: 0.05)
      #expect(drawn == [UInt8(count - 1)])
      test.advance(by: 0.5)
      #expect(drawn == [UInt8(count - 1)] && frames == Array(1..<count) && loops == 0)
    }
    view.image = .animated()
    #expect(view.animationPlayer === player && !view.isProgressive)
    test.draw()
    test.advance(by: 0.25)
    #expect(frames == [1, 2, 3, 4, 0, 1] && loops == 1 && player.endedLoops == 1)
  }

  @Test func previewThatArrivesWhilePlayingChangesNothingOnTheScreen() {
    let view = test.addView(preview(frameCount: 4))
    test.draw()
    test.advance(by: 0.15)
    view.setContents(preview(frameCount: 5), transition: .crossDissolve)
    #expect(!view.isInTransition)
    test.draw()
    #expect(drawn == [1])
    test.advance(by: 0.06)
    #expect(drawn == [2])
    view.setContents(.animated(frameCount: 6), transition: .crossDissolve)
    test.draw()
    #expect(drawn == [2] && !view.isInTransition)
    test.advance(by: 0.1)
    #expect(drawn == [3])
  }

  @Test func runningTransitionLeadsToTheNextPreview() {
    let view = test.addView(.white)
    test.draw()
    view.setContents(preview(frameCount: 3), transition: .crossDissolve)
    test.draw()
    test.advance(by: 0.15)
    view.setContents(.animated(), transition: .crossDissolve)
    #expect(view.isInTransition)
    test.advance(by: 10)
    #expect(!view.isInTransition && view.animationPlayer.map { $0.endedLoops > 0 } == true)
  }

  @Test func firstFrameDoesNotDissolveIntoItself() {
    let color = Color(red: 0, green: 0, blue: 0)
    let view = test.addView(Image(Bitmap(width: 4, height: 4, color: color), isPreview: true))
    test.draw()
    view.setContents(preview(frameCount: 2), transition: .crossDissolve)
    #expect(!view.isInTransition)
    test.draw()
    test.advance(by: 0.15)
    #expect(drawn == [1])
  }

  @Test(arguments: [Transition.none, .crossDissolve])
  func replacedPreviewKeepsNoFrames(transition: Transition) {
    let view = test.addView(preview(frameCount: 3))
    test.draw()
    test.advance(by: 1)
    weak let player = view.animationPlayer
    #expect(player.map { $0.decodedBytes > 0 } == true)
    view.setContents(.white, transition: transition)
    test.draw()
    test.advance(by: 5)
    #expect(player == nil && window.nextDeadline == nil)
  }

  @Test func settingsOfThePlayerStayWhenMoreFramesArrive() {
    let view = test.addView(preview(frameCount: 2))
    test.draw()
    view.playbackRate = 2
    view.animationPlayer?.loopCount = 1
    view.pause()
    view.image = .animated()
    #expect(view.playbackRate == 2 && view.animationPlayer?.loopCount == 1 && !view.isPlaying)
    view.play()
    test.draw()
    test.advance(by: 5)
    #expect(drawn == [4] && view.animationPlayer?.endedLoops == 1 && !view.isPlaying)
  }

  @Test func otherImageDoesNotGoOnFromAPreview() {
    let view = test.addView(preview(frameCount: 3))
    test.draw()
    test.advance(by: 0.25)
    let other = Image(
      frames: [9, 8, 7, 6].map { Image.Frame(bitmap: .frame($0), duration: 0.1) })
    view.image = other
    test.draw()
    #expect(drawn == [9])
  }

  @Test func buttonPlaysOn() {
    let button = Button(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    button.setImage(preview(frameCount: 3), for: .normal)
    window.addSubview(button)
    test.draw()
    test.advance(by: 0.15)
    button.setImage(.animated(), for: .normal, transition: .crossDissolve)
    test.draw()
    #expect(drawn == [1])
    test.advance(by: 0.35)
    #expect(drawn == [0] || drawn == [4])
  }

  @Test(
    "SD-A10 the natural size of a view is that of its image, SD-A12 a view that is made with an image keeps it"
  )
  func viewHasTheSizeOfItsImage() {
    let image = Image.animated()
    let view = ImageView(image)
    #expect(view.sizeThatFits(.zero) == Size(width: 4, height: 4) && view.image === image)
    #expect(view.frame.size == Size(width: 4, height: 4))
  }
}
