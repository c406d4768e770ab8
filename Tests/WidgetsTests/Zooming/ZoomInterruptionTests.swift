import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// Images that are touched, replaced or limited in the middle of a movement.
@Suite(.timeLimit(.minutes(5)))
struct ZoomInterruptionTests {
  private let test = TestWindow(size: Size(width: 400, height: 200))
  private let view = ZoomView(frame: Rect(x: 0, y: 0, width: 400, height: 200))
  private let middle = Point(x: 200, y: 100)

  init() {
    view.contents = .solid(width: 400, height: 300)
    test.window.addSubview(view)
    test.draw()
  }

  private func pinch(from start: Double, to end: Double) {
    for (finger, side) in [(Int64(1), -0.5), (2, 0.5)] {
      test.press(at: Point(x: 200 + side * start, y: 100), finger: finger)
    }
    for (finger, side) in [(Int64(1), -0.5), (2, 0.5)] {
      test.move(to: Point(x: 200 + side * end, y: 100), finger: finger)
    }
  }

  private func lift() {
    test.release(finger: 1)
    test.release(finger: 2)
  }

  /// True if the image is drawn as one that moves, in lower quality.
  private var isDrawnMoving: Bool { test.images.contains(where: \.isMoving) }

  @Test func imageThatATapStopsIsDrawnWellAndLoadedForItsScale() {
    view.setZoomScale(4, animated: true)
    test.advance(by: 0.15)
    #expect(isDrawnMoving)

    test.press(at: middle)
    test.draw()

    #expect(!isDrawnMoving)
    let scale = view.zoomScale
    #expect(scale > 1.1 && scale < 4)
    test.release()
    test.advanceUntilIdle()
    #expect(view.zoomScale == scale)
    #expect(view.imageRoom.width == 400 * scale)
  }

  @Test func tapOnAnImageThatReturnsToItsLimitsDelaysNothingAndIsReported() {
    var taps = 0
    view.onTap = { _ in taps += 1 }
    pinch(from: 300, to: 60)
    lift()
    test.advance(by: 0.05)
    let scale = view.zoomScale
    #expect(scale < 1)

    test.press(at: middle)
    test.release()
    test.advance(by: 0.1)

    #expect(view.zoomScale > scale, "the image goes on at once")
    test.advance(by: 0.2)
    #expect(view.zoomScale == 1 && !view.isZooming)
    #expect(taps == 0)
    test.advance(by: 0.1)
    #expect(taps == 1)
    #expect(test.window.isIdle)
  }

  @Test func smallerMaximumEndsAMovementBeyondIt() {
    view.setZoomScale(8, animated: true)
    test.advance(by: 0.1)

    view.maximumScale = 2
    test.advanceUntilIdle()

    #expect(view.zoomScale <= 2)
    view.setZoomScale(8, animated: false)
    #expect(view.zoomScale == 2)
    for scale: Double in [0, -3, .nan, -.infinity] {
      view.maximumScale = scale
      #expect(view.zoomScale == 1)
    }
  }

  @Test func enormousScalesAndTurnsLeadToTheLimitsAndOthersAreIgnored() {
    view.setZoomScale(.greatestFiniteMagnitude, about: Point(x: 390, y: 10), animated: false)
    #expect(view.zoomScale == 8)
    #expect(view.imageFrame.maxX.isFinite && view.imageFrame.intersects(view.bounds))
    for scale: Double in [0, -1, .nan, .infinity] { view.setZoomScale(scale, animated: false) }
    #expect(view.zoomScale == 8)
    test.wheel(at: middle, steps: -1e9)
    test.advanceUntilIdle()
    #expect(view.zoomScale == 1)
    test.wheel(at: middle, steps: 1e300)
    test.wheel(at: middle, steps: .nan)
    test.advanceUntilIdle()
    #expect(view.zoomScale == 8)
  }

  @Test func fingersThatPinchAgainAndAgainWithoutAllBeingLiftedKeepTheScaleFinite() {
    test.press(at: Point(x: 10, y: 100), finger: 1)
    for _ in 0..<100 {
      test.press(at: Point(x: 11, y: 100), finger: 2)
      test.move(to: Point(x: 399, y: 100), finger: 2)
      test.release(finger: 2)
    }
    #expect(view.zoomScale > 8 && view.zoomScale < 16)
    test.release(finger: 1)
    test.advanceUntilIdle()
    #expect(view.zoomScale == 8)
    #expect(view.imageFrame.width.isFinite)
  }

  @Test func imageReplacedInTheMiddleOfAPinchIsShownWholeAndLetsGo() {
    pinch(from: 50, to: 150)
    view.contents = .solid(width: 300, height: 400)
    #expect(view.zoomScale == 1 && !view.isZooming)
    let frame = view.imageFrame

    test.move(to: Point(x: 10, y: 100), finger: 1)
    test.move(to: Point(x: 390, y: 100), finger: 2)

    #expect(view.imageFrame == frame)
    lift()
    test.advanceUntilIdle()
    #expect(view.imageFrame == frame && view.zoomScale == 1)
  }

  @Test func sharperVariantInTheMiddleOfAPinchDoesNotDisturbTheFingers() {
    pinch(from: 50, to: 100)
    view.contents = .solid(width: 1600, height: 1200)
    test.move(to: Point(x: 125, y: 100), finger: 1)
    test.move(to: Point(x: 275, y: 100), finger: 2)
    #expect(abs(view.zoomScale - 3) < 1e-9)
    lift()
  }

  @Test func imageRemovedInTheMiddleOfAPinchAndFingersOnNoneDoNothing() {
    pinch(from: 50, to: 150)
    view.contents = nil
    #expect(view.imageFrame == .zero && !view.isZooming)
    lift()

    pinch(from: 50, to: 150)
    test.move(to: Point(x: 100, y: 20), finger: 1)
    lift()
    test.wheel(at: middle, steps: 2)
    test.key(.character("+"))
    view.toggleZoom()
    #expect(test.advanceUntilIdle())
    #expect(view.zoomScale == 1 && !view.isZooming)
  }

  @Test(
    "images of extreme shapes are enlarged, moved and shown whole again",
    arguments: [(1, 1), (30_000, 2), (2, 30_000)]) func extremeShapes(width: Int, height: Int)
  {
    view.contents = .solid(width: width, height: height)
    #expect(view.imageFrame.width <= 400 && view.imageFrame.height <= 200)
    pinch(from: 30, to: 390)
    lift()
    test.advanceUntilIdle()
    // The fingers enlarge to 13 times, and the limit of a thin image is higher.
    #expect(abs(view.zoomScale - (width == height ? 8 : 13)) < 1e-6)
    for command in test.images {
      #expect(command.source.width > 0 && command.source.maxX <= Double(width) + 1e-6)
      #expect(command.source.height > 0 && command.source.maxY <= Double(height) + 1e-6)
    }
    for _ in 0..<5 { test.drag(from: middle, to: Point(x: 60, y: 20), duration: 0.05) }
    test.advanceUntilIdle()
    let (frame, bounds) = (view.imageFrame, view.bounds)
    #expect(frame.width <= 400 ? abs(frame.midX - 200) < 1e-6 : frame.maxX >= bounds.maxX - 1e-6)
    #expect(frame.height <= 200 ? abs(frame.midY - 100) < 1e-6 : frame.maxY >= bounds.maxY - 1e-6)
    #expect(view.keyDown(.character("0"), modifiers: []))
    test.advanceUntilIdle()
    #expect(view.zoomScale == 1 && test.window.isIdle)
  }

  @Test func viewRemovedInTheMiddleOfAPinchStartsAnew() {
    pinch(from: 50, to: 150)
    view.removeFromSuperview()
    #expect(!view.isZooming)
    lift()
    test.window.addSubview(view)
    pinch(from: 50, to: 100)
    #expect(view.isZooming)
    lift()
    test.advanceUntilIdle()
    #expect(!view.isZooming)
  }
}
