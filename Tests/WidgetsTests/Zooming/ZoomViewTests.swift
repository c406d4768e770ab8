import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// An image that is enlarged and moved by fingers, mouse, wheel and keys.
@Suite(.timeLimit(.minutes(5)))
struct ZoomViewTests {
  private let test = TestWindow(size: Size(width: 400, height: 200))
  private let view = ZoomView(frame: Rect(x: 0, y: 0, width: 400, height: 200))
  private let middle = Point(x: 200, y: 100)

  init() {
    view.contents = .solid(width: 400, height: 300)
    test.window.addSubview(view)
    test.draw()
  }

  private func pinch(from start: Double, to end: Double, center: Point, steps: Int = 10) {
    test.press(at: Point(x: center.x - start / 2, y: center.y), finger: 1)
    test.press(at: Point(x: center.x + start / 2, y: center.y), finger: 2)
    for step in 1...steps {
      test.advance(by: 1.0 / 60)
      let width = start + (end - start) * Double(step) / Double(steps)
      test.move(to: Point(x: center.x - width / 2, y: center.y), finger: 1)
      test.move(to: Point(x: center.x + width / 2, y: center.y), finger: 2)
    }
  }

  private func lift() {
    test.release(finger: 1)
    test.release(finger: 2)
    test.advanceUntilIdle()
  }

  @Test func pinchEnlargesAboutTheMiddleOfTheFingers() {
    let center = Point(x: 200, y: 80)
    pinch(from: 50, to: 150, center: center)
    #expect(abs(view.zoomScale - 3) < 1e-9)
    #expect(view.isZooming)
    // The point of the image that was under the middle: 20 points above the center of the image.
    #expect(abs(view.imageFrame.midY - (80 + 20 * 3)) < 1e-6)
    lift()
    #expect(!view.isZooming)
    #expect(abs(view.zoomScale - 3) < 1e-9)
  }

  @Test func pinchBeyondTheLimitsSpringsBack() {
    pinch(from: 300, to: 60, center: middle)
    #expect(view.zoomScale < 1 && view.zoomScale > 0.5)
    lift()
    #expect(view.zoomScale == 1)
    #expect(view.imageFrame.midX == 200)

    for _ in 0..<3 {
      pinch(from: 40, to: 300, center: middle)
      lift()
    }
    #expect(view.zoomScale == 8)
  }

  @Test func panThatBecomesAPinchAndBackDoesNotJump() {
    view.setZoomScale(4, animated: false)
    test.press(at: middle, finger: 1)
    test.move(to: Point(x: 215, y: 100), finger: 1)
    test.move(to: Point(x: 230, y: 100), finger: 1)
    let panned = view.imageFrame
    #expect(panned.midX == 215, "the image follows from where the finger has claimed it")

    test.press(at: Point(x: 330, y: 100), finger: 2)
    #expect(view.imageFrame == panned)
    test.press(at: Point(x: 10, y: 10), finger: 3)
    #expect(view.imageFrame == panned, "a third finger is ignored")
    test.move(to: Point(x: 20, y: 20), finger: 3)
    #expect(view.imageFrame == panned)
    test.move(to: Point(x: 380, y: 100), finger: 2)
    #expect(abs(view.zoomScale - 6) < 1e-9)
    let pinched = view.imageFrame
    test.release(finger: 1)
    #expect(view.imageFrame == pinched)
    test.move(to: Point(x: 385, y: 100), finger: 2)
    #expect(abs(view.imageFrame.midX - pinched.midX - 5) < 1e-9)
  }

  @Test func fingersAtTheSamePointGiveAFiniteScale() {
    test.press(at: middle, finger: 1)
    test.press(at: middle, finger: 2)
    for x in [200.0, 201, 200, 260, 200] { test.move(to: Point(x: x, y: 100), finger: 2) }
    #expect(view.zoomScale.isFinite && view.zoomScale > 0.5)
    #expect(view.imageFrame.width.isFinite)
    lift()
    #expect(view.zoomScale >= 1)
  }

  @Test func doubleTapChangesBetweenTheWholeImageAndAFilledView() {
    for _ in 0..<2 {
      test.press(at: middle)
      test.release()
    }
    test.advanceUntilIdle()
    #expect(abs(view.zoomScale - 1.5) < 1e-9)
    #expect(abs(view.imageFrame.minY + 50) < 1e-9 && abs(view.imageFrame.width - 400) < 1e-9)
    test.advance(by: 1)
    for _ in 0..<2 {
      test.press(at: middle)
      test.release()
    }
    test.advanceUntilIdle()
    #expect(view.zoomScale == 1)
  }

  @Test func singleTapIsReportedOnceNoSecondOneCanFollow() {
    var taps = 0
    view.onTap = { _ in taps += 1 }
    test.press(at: middle)
    test.release()
    test.advance(by: 0.3)
    #expect(taps == 0)
    test.advance(by: 0.1)
    #expect(taps == 1)
    for _ in 0..<2 {
      test.press(at: middle)
      test.release()
    }
    test.advance(by: 1)
    #expect(taps == 1)
    #expect(abs(view.zoomScale - 1.5) < 1e-9)
  }

  @Test func throwMovesTheImageWithMomentumAndStopsAtItsEdge() {
    view.setZoomScale(4, animated: false)
    test.drag(from: middle, to: Point(x: 260, y: 100), duration: 0.1)
    let released = view.imageFrame.minX
    test.advance(by: 0.2)
    #expect(view.imageFrame.minX > released)
    for _ in 0..<6 { test.drag(from: Point(x: 100, y: 100), to: Point(x: 300, y: 100), duration: 0.1) }
    test.advanceUntilIdle()
    #expect(abs(view.imageFrame.minX) < 0.5)
  }

  @Test func touchStopsTheMovement() {
    view.setZoomScale(8, animated: false)
    test.drag(from: middle, to: Point(x: 260, y: 100), duration: 0.1)
    test.advance(by: 0.05)
    test.press(at: middle)
    let frame = view.imageFrame
    test.advance(by: 0.5)
    #expect(view.imageFrame == frame)
    #expect(!view.isZooming)
  }

  @Test func dragIsLeftToSuperviewsAtTheEdgeAndWhileTheWholeImageIsShown() {
    let observer = Observer(frame: test.window.bounds)
    test.window.addSubview(observer)
    observer.addSubview(view)

    test.drag(from: middle, to: Point(x: 100, y: 100), duration: 0.2)
    #expect(observer.phases.last == .ended)

    view.setZoomScale(2, animated: false)
    observer.phases = []
    test.drag(from: middle, to: Point(x: 150, y: 100), duration: 0.2)
    #expect(observer.phases.last == .cancelled, "the image moves, and no superview may")
    for _ in 0..<4 { test.drag(from: middle, to: Point(x: 50, y: 100), duration: 0.1) }
    test.advanceUntilIdle()
    observer.phases = []
    test.drag(from: middle, to: Point(x: 50, y: 100), duration: 0.2)
    #expect(observer.phases.last == .ended, "the right edge of the image is reached")
  }

  @Test func wheelEnlargesAboutThePointer() {
    test.wheel(at: Point(x: 250, y: 100), steps: 2)
    test.advanceUntilIdle()
    #expect(abs(view.zoomScale - 1.5625) < 1e-9)
    // Far enough that the image covers the pointer's surroundings on all sides.
    view.setZoomScale(4, animated: false)
    let before = view.imageFrame
    test.wheel(at: Point(x: 250, y: 80), steps: 1)
    test.advanceUntilIdle()
    let after = view.imageFrame
    #expect(abs((250 - before.minX) / before.width - (250 - after.minX) / after.width) < 1e-9)
    #expect(abs((80 - before.minY) / before.height - (80 - after.minY) / after.height) < 1e-9)
  }

  @Test func wheelWithCtrlEnlargesAndScrollsNothing() {
    test.wheel(at: middle, steps: 2, modifiers: .control)
    test.advanceUntilIdle()
    #expect(abs(view.zoomScale - 1.5625) < 1e-9)
    test.wheel(at: middle, steps: -2, modifiers: [.control, .shift])
    test.advanceUntilIdle()
    #expect(view.zoomScale == 1)

    let list = ScrollView(frame: test.window.bounds)
    list.contentSize = Size(width: 400, height: 2000)
    test.window.addSubview(list)
    test.wheel(at: middle, steps: -2, modifiers: .control)
    test.advanceUntilIdle()
    #expect(list.contentOffset.y == 0)
    test.wheel(at: middle, steps: -2)
    test.advanceUntilIdle()
    #expect(list.contentOffset.y > 0)
  }

  @Test func keysEnlargeMoveAndReset() {
    #expect(!view.keyDown(.left, modifiers: []), "nothing to move")
    #expect(view.keyDown(.character("+"), modifiers: []))
    #expect(view.keyDown(.character("+"), modifiers: .shift))
    test.advanceUntilIdle()
    #expect(abs(view.zoomScale - 1.5625) < 1e-9)
    #expect(view.keyDown(.enter, modifiers: []))
    test.advanceUntilIdle()
    #expect(view.zoomScale == 1)
    view.setZoomScale(8, animated: false)
    let x = view.imageFrame.minX
    #expect(view.keyDown(.right, modifiers: []))
    test.advanceUntilIdle()
    #expect(view.imageFrame.minX == x - ScrollView.step)
    #expect(view.keyDown(.character("0"), modifiers: []))
    test.advanceUntilIdle()
    #expect(view.zoomScale == 1)
  }

  @Test func resizeInTheMiddleOfAPinchKeepsTheScaleAndLetsGo() {
    pinch(from: 50, to: 150, center: middle)
    view.frame.size = Size(width: 200, height: 400)
    #expect(!view.isZooming)
    #expect(abs(view.zoomScale - 3) < 1e-9)
    let frame = view.imageFrame
    test.move(to: Point(x: 10, y: 100), finger: 1)
    #expect(view.imageFrame == frame)
    lift()
    #expect(view.imageFrame.intersection(view.bounds) == view.bounds.intersection(view.imageFrame))
  }

  @Test func sharperVariantKeepsThePlaceAndAnotherImageIsShownWhole() {
    view.setZoomScale(4, about: Point(x: 100, y: 50), animated: false)
    let frame = view.imageFrame
    view.contents = .solid(width: 1600, height: 1200)
    #expect(view.imageFrame == frame)
    view.contents = .solid(width: 300, height: 400)
    #expect(view.zoomScale == 1)
    view.contents = nil
    #expect(view.imageFrame.isEmpty)
    view.setZoomScale(3, animated: true)
    #expect(view.zoomScale == 1)
  }

  @Test(
    "thin images are drawn at least a pixel wide at each scale",
    arguments: [(30_000, 2, 1.0), (30_000, 2, 2.0), (2, 30_000, 1), (2, 30_000, 1.5), (1, 1, 1)])
  func thinImages(width: Int, height: Int, pixelScale: Double) throws {
    let test = TestWindow(size: Size(width: 401, height: 201), scale: pixelScale)
    let view = ZoomView(frame: test.window.bounds)
    view.contents = .solid(width: width, height: height)
    test.window.addSubview(view)
    test.draw()
    for scale in [1.0, 1.0001, 2, 8, 60, 1000] {
      view.setZoomScale(scale, animated: false)
      test.draw()
      let command = try #require(test.images.first)
      let drawn = command.destination
      #expect(min(drawn.width, drawn.height) * pixelScale > 1 - 1e-9)
      // Not between two pixels.
      #expect(drawn.minX >= 0 && drawn.minY >= 0 && drawn.maxX <= 401 && drawn.maxY <= 201)
      if drawn.height * pixelScale < 1 + 1e-9 {
        let row = drawn.minY * pixelScale
        #expect(abs(row - row.rounded()) < 1e-6)
      }
      #expect(command.source.width > 0 && command.source.height > 0)
      #expect(command.source.maxX <= Double(width) + 1e-6 && command.source.maxY <= Double(height) + 1e-6)
    }
    let last = try #require(test.images.first).destination
    #expect(min(last.width, last.height) > 4, "the short side is visible at the largest scale")
  }

  @Test func restingImageRequestsNoFrames() {
    view.setZoomScale(3, animated: true)
    test.advanceUntilIdle()
    let frames = test.framesRun
    test.advance(by: 10)
    #expect(test.framesRun == frames)
  }

  @Test func imageIsLoadedForTheScaleAtWhichItRests() {
    #expect(view.imageRoom == Size(width: 400, height: 200))
    view.setZoomScale(4, animated: false)
    #expect(view.imageRoom == Size(width: 1600, height: 800))
    view.setZoomScale(1, animated: false)
    #expect(view.imageRoom == Size(width: 1600, height: 800), "the larger variant is there")
    view.reset()
    #expect(view.imageRoom == Size(width: 400, height: 200))
    view.maximumPixels = 4 * 53_334
    view.setZoomScale(8, animated: false)
    #expect(abs(view.imageRoom.width - 800) < 1)
  }
}

/// Records the phases of the touches of its subviews.
private final class Observer: View {
  var phases: [TouchPhase] = []
  override var observesDescendantTouches: Bool { true }
  override func observeTouch(_ touch: Touch) { phases.append(touch.phase) }
}
