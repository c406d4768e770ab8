import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// Fingers that come and go on an image over the whole window, and an image that changes under them.
@Suite(.timeLimit(.minutes(5)))
struct HeroFingerTests {
  private let test = TestWindow(size: Size(width: 400, height: 200))
  private let content = ZoomView()
  private let hero: HeroView
  private let tile = HeroTile(frame: Rect(x: 20, y: 10, width: 40, height: 40))
  private let top = Point(x: 200, y: 40)

  init() {
    content.contents = .solid(width: 400, height: 300)
    hero = HeroView(content: content) { [content] in content.contents }
    hero.tileToReturnTo = { [tile] in tile }
    hero.open(from: tile, in: test.window)
    test.advanceUntilIdle()
  }

  /// Pulls the image down with finger 1 by a number of points.
  private func pull(by distance: Double) {
    test.press(at: top, finger: 1)
    for step in 1...10 {
      test.advance(by: 0.05)
      test.move(to: Point(x: top.x, y: top.y + distance * Double(step) / 10), finger: 1)
    }
    test.advance(by: 0.2)
  }

  @Test func secondAndThirdFingerDoNotDisturbTheOneThatPulls() {
    pull(by: 60)
    #expect(hero.stage == .dragged)
    test.press(at: Point(x: 100, y: 100), finger: 2)
    test.press(at: Point(x: 300, y: 100), finger: 3)
    test.move(to: Point(x: 120, y: 180), finger: 2)
    test.move(to: Point(x: top.x, y: top.y + 50), finger: 1)
    #expect(hero.stage == .dragged)
    test.release(finger: 2)
    test.release(finger: 1)
    #expect(hero.stage == .opening)
    test.release(finger: 3)
    test.advanceUntilIdle()
    #expect(hero.stage == .open && !content.isHidden)
  }

  @Test func fingerThatStaysAfterTheOneThatPulledPullsNothing() {
    pull(by: 60)
    test.press(at: Point(x: 100, y: 60), finger: 2)
    test.release(finger: 1)
    test.advanceUntilIdle()
    test.move(to: Point(x: 100, y: 190), finger: 2)
    #expect(hero.stage == .open)
    test.release(finger: 2)
    #expect(hero.stage == .open)
    pull(by: 120)
    test.release(finger: 1)
    #expect(hero.stage == .closing)
  }

  @Test func twoFingersBelongToTheContent() {
    test.press(at: top, finger: 1)
    test.press(at: Point(x: 250, y: 40), finger: 2)
    test.move(to: Point(x: 200, y: 180), finger: 1)
    #expect(hero.stage == .open && content.isZooming)
    test.press(at: Point(x: 100, y: 20), finger: 3)
    test.move(to: Point(x: 100, y: 180), finger: 3)
    #expect(hero.stage == .open)
    for finger in [Int64(2), 1, 3] { test.release(finger: finger) }
    test.advanceUntilIdle()
    #expect(hero.stage == .open)
  }

  @Test func imageThatArrivesUnderARestingFingerIsDrawn() {
    pull(by: 60)
    let frames = test.framesDrawn
    let sharp = Image.solid(width: 800, height: 600)

    content.contents = sharp
    hero.imageDidChange()
    test.advance(by: 0.05)

    #expect(test.framesDrawn > frames)
    #expect(test.images.map(\.image) == [sharp])
    test.release(finger: 1)
    test.advanceUntilIdle()
    let drawn = test.framesDrawn
    hero.imageDidChange()
    test.advance(by: 0.05)
    #expect(test.framesDrawn == drawn, "the content draws itself")
  }

  @Test func imageRemovedWhileItIsPulledLeavesTheContent() {
    pull(by: 60)
    content.contents = nil
    test.move(to: Point(x: top.x, y: top.y + 40), finger: 1)
    test.release(finger: 1)
    #expect(hero.stage == .open && !content.isHidden)
    content.contents = .solid(width: 400, height: 300)
    pull(by: 60)
    content.contents = nil
    test.cancel(finger: 1)
    #expect(hero.stage == .open && !content.isHidden)
  }

  @Test func imageRemovedWhileItReturnsLeavesTheWindow() {
    hero.close()
    test.advance(by: 0.1)
    content.contents = nil
    test.advanceUntilIdle()
    #expect(hero.stage == .closed && hero.superview == nil)
  }

  @Test func failedImageIsClosedByADragDown() {
    content.contents = nil
    pull(by: 60)
    #expect(hero.stage == .open)
    test.release(finger: 1)
    #expect(hero.stage == .open, "too short")
    pull(by: 120)
    test.release(finger: 1)
    #expect(hero.stage == .closed)
  }

  @Test("a key during a drag closes, and the finger does nothing more", arguments: [Key.escape, .backspace])
  func keyDuringADrag(key: Key) throws {
    pull(by: 60)
    var stages: [HeroView.Stage] = []
    hero.onStageChange = { stages.append($0) }

    test.key(key)
    let pulled = try #require(test.images.last).destination
    test.move(to: Point(x: 300, y: 190), finger: 1)
    #expect(test.images.last?.destination == pulled, "the image returns from where it was pulled to")
    test.advance(by: 0.1)
    let returning = try #require(test.images.last).destination
    test.move(to: Point(x: 10, y: 60), finger: 1)
    #expect(test.images.last?.destination == returning && returning.minX < pulled.minX)
    test.release(finger: 1)
    test.advanceUntilIdle()

    #expect(stages == [.closing, .closed])
    #expect(hero.superview == nil)
  }

  @Test func fingerThatHadNotPulledYetCatchesNothingAfterAKey() {
    test.press(at: top, finger: 1)
    test.key(.escape)
    test.advance(by: 0.05)
    test.move(to: Point(x: 200, y: 150), finger: 1)
    #expect(hero.stage == .closing)
    test.release(finger: 1)
    test.advanceUntilIdle()
    #expect(hero.stage == .closed)
  }

  @Test func closingDuringADragWithoutATileFadesTheImageWhereItIs() throws {
    pull(by: 60)
    hero.tileToReturnTo = { nil }
    let pulled = try #require(test.images.last).destination

    hero.close()
    test.move(to: Point(x: 300, y: 190), finger: 1)
    test.advance(by: 0.1)

    let fading = try #require(test.images.last)
    #expect(fading.destination == pulled && fading.opacity < 1)
    test.release(finger: 1)
    test.advanceUntilIdle()
    #expect(hero.stage == .closed)
  }

  @Test func returningImageIsCaughtByADragDown() {
    hero.close()
    test.advance(by: 0.05)
    test.press(at: top, finger: 1)
    test.move(to: Point(x: 200, y: 55), finger: 1)
    #expect(hero.stage == .dragged)
    test.advance(by: 0.3)
    test.move(to: Point(x: 200, y: 50), finger: 1)
    test.release(finger: 1)
    test.advanceUntilIdle()
    #expect(hero.stage == .open)
  }

  @Test func windowThatIsResizedWhileTheImageReturnsLeadsToTheNewPlaceOfItsTile() throws {
    hero.close()
    test.advance(by: 0.1)
    let moved = HeroTile(frame: Rect(x: 500, y: 300, width: 60, height: 60))
    hero.tileToReturnTo = { moved }
    test.window.frame.size = Size(width: 800, height: 600)
    test.advance(by: 0.3)
    let flying = try #require(test.images.last)
    #expect(flying.isMoving && flying.destination.midX > 400)
    test.advanceUntilIdle()
    #expect(hero.stage == .closed)
  }

  @Test func windowThatIsResizedWhileAFingerPullsIsFilledAfterwards() {
    pull(by: 60)
    test.window.frame.size = Size(width: 200, height: 400)
    test.move(to: Point(x: 100, y: 60), finger: 1)
    test.release(finger: 1)
    test.advanceUntilIdle()
    #expect(hero.stage == .open)
    #expect(content.frame == Rect(x: 0, y: 0, width: 200, height: 400))
  }

  @Test(
    "images of extreme shapes open and return", arguments: [(1, 1), (30_000, 2), (2, 30_000)])
  func extremeShapes(width: Int, height: Int) {
    hero.close()
    test.advanceUntilIdle()
    content.contents = .solid(width: width, height: height)
    hero.open(from: tile, in: test.window)
    #expect(hero.stage == .opening)
    test.advance(by: 0.1)
    for command in test.images {
      #expect(command.destination.width.isFinite && command.destination.height > 0)
      #expect(command.source.width > 0 && command.source.height > 0)
    }
    test.advanceUntilIdle()
    #expect(hero.stage == .open)
    test.key(.escape)
    test.advanceUntilIdle()
    #expect(hero.stage == .closed)
  }
}
