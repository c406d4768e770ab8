import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Progress view")
struct ProgressViewTests {
  private let bar = ProgressView(style: .bar, color: .white)
  private let test: TestWindow

  init() {
    bar.frame = Rect(x: 10, y: 20, width: 100, height: 10)
    bar.trackColor = .black
    test = TestWindow(bar)
  }

  /// The filled fractions of the bar.
  private var filled: [Double] { test.fills(of: .white).map { $0.width / 100 } }

  @Test func barFillsFromTheLeft() {
    bar.progress = 0.3
    test.draw()

    #expect(test.fills(of: .white) == [Rect(x: 10, y: 23, width: 30, height: 4)])
    #expect(test.window.nextDeadline == nil)
  }

  @Test(arguments: [(-1.0, 0.0), (2, 1), (.nan, 0), (.infinity, 1), (0.25, 0.25)])
  func progressIsClamped(value: Double, expected: Double) {
    bar.progress = value

    #expect(bar.progress == expected)
  }

  @Test func barIsEmptyAtZeroAndFullAtOne() {
    #expect(filled.isEmpty)
    bar.progress = 1
    #expect(filled == [1])
  }

  @Test func animatedChangeTakesAQuarterOfASecond() {
    bar.setProgress(1, animated: true)
    #expect(bar.progress == 1)
    test.advance(by: 0.125)
    #expect(filled.first.map { $0 > 0.3 && $0 < 0.95 } == true)
    #expect(!test.window.isIdle)

    test.advance(by: 0.125)

    #expect(filled == [1])
    #expect(test.advanceUntilIdle(limit: 1))
    #expect(test.window.nextDeadline == nil)
  }

  @Test func newValueDuringAnAnimationContinuesFromTheCurrentFill() {
    bar.setProgress(1, animated: true)
    test.advance(by: 0.1)
    let before = filled.first ?? 0

    bar.setProgress(0, animated: true)

    #expect(filled.first.map { abs($0 - before) < 1e-9 } == true)
    test.advance(by: 1)
    #expect(filled.isEmpty)
  }

  @Test func indeterminateBarAnimatesAndKeepsItsValue() {
    bar.progress = 0.5
    bar.isIndeterminate = true
    test.draw()
    let before = test.framesDrawn

    test.advance(by: 1)

    #expect((29...31).contains(test.framesDrawn - before))
    #expect(test.window.isIdle, "an endless animation does not keep the window busy")
    #expect(bar.progress == 0.5)
    bar.isIndeterminate = false
    #expect(filled == [0.5])
    test.draw()
    #expect(test.window.nextDeadline == nil)
  }

  @Test func ringImageIsSizedForTheWindowScale() {
    let ring = ProgressView(style: .ring)
    let test = TestWindow(ring, scale: 2)
    ring.progress = 0.3

    #expect(ring.frame.size == Size(width: 37, height: 37))
    #expect(test.images.map(\.image.pixelWidth) == [74])
    #expect(test.images.map(\.destination.size) == [Size(width: 37, height: 37)])
  }

  @Test func ringImageIsCachedPerStep() {
    let ring = ProgressView(style: .ring)
    let test = TestWindow(ring)
    ring.progress = 0.3
    let third = test.images.first?.image
    ring.progress = 0.6
    #expect(test.images.first?.image !== third)

    ring.progress = 0.3

    #expect(test.images.first?.image === third)
  }

  @Test func indeterminateRingSpinsWhileVisible() {
    let ring = ProgressView(style: .ring)
    ring.isIndeterminate = true
    let test = TestWindow(ring)
    let before = test.framesDrawn

    test.advance(by: 1)

    #expect((23...25).contains(test.framesDrawn - before))
    ring.isHidden = true
    test.advance(by: 0.1)
    let still = test.framesRun
    test.advance(by: 1)
    #expect(test.framesRun == still)
  }

  @Test func zeroSizedViewDrawsNothing() {
    bar.frame.size = Size(width: 0, height: 0)
    bar.progress = 0.5
    test.draw()

    #expect(filled.isEmpty)
  }
}
