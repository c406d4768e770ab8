import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Activity indicator")
struct ActivityIndicatorTests {
  private let indicator = ActivityIndicator()
  private let test: TestWindow

  init() { test = TestWindow(indicator) }

  @Test func spinningIndicatorDrawsTwelveFramesPerSecond() {
    indicator.startAnimating()
    test.draw()
    let before = test.framesDrawn

    test.advance(by: 1)

    #expect(test.framesDrawn - before == 12)
  }

  @Test func spinningIndicatorLeavesTheWindowIdle() {
    indicator.startAnimating()
    test.draw()

    #expect(test.window.isIdle)
  }

  @Test func rotationConsistsOfTwelveDifferentImages() {
    indicator.startAnimating()
    test.draw()
    var images: [Image] = []
    for _ in 0..<13 {
      images += test.images.map(\.image)
      test.advance(by: 1.0 / 12)
    }

    #expect(Set(images).count == 12)
    #expect(images.first == images.last)
  }

  @Test func stopAnimatingEndsRepeatedStarts() {
    indicator.startAnimating()
    indicator.startAnimating()
    indicator.stopAnimating()
    indicator.stopAnimating()
    test.draw()
    let before = test.framesRun
    test.advance(by: 1)

    #expect(!indicator.isAnimating)
    #expect(test.images.isEmpty)
    #expect(test.framesRun == before)
  }

  @Test func stoppedIndicatorCanStayVisible() {
    indicator.hidesWhenStopped = false

    #expect(test.images.count == 1)
    test.draw()
    #expect(test.window.nextDeadline == nil)
  }

  @Test(arguments: ["hidden", "parent hidden", "scrolled away", "removed"])
  func invisibleIndicatorRunsNoFrames(how: String) {
    let scrollView = ScrollView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    scrollView.contentSize = Size(width: 100, height: 1000)
    scrollView.addSubview(indicator)
    test.window.addSubview(scrollView)
    indicator.startAnimating()
    test.advance(by: 0.5)

    switch how {
    case "hidden": indicator.isHidden = true
    case "parent hidden": scrollView.isHidden = true
    case "scrolled away": scrollView.contentOffset.y = 500
    default: scrollView.removeFromSuperview()
    }
    test.advance(by: 0.2)
    let before = test.framesRun
    test.advance(by: 1)
    #expect(test.framesRun == before)

    indicator.isHidden = false
    scrollView.isHidden = false
    scrollView.contentOffset.y = 0
    test.window.addSubview(scrollView)
    test.draw()
    let again = test.framesDrawn
    test.advance(by: 1)
    #expect((12...13).contains(test.framesDrawn - again))
  }

  @Test func spinningIndicatorDirtiesOnlyItsFrame() {
    indicator.frame.origin = Point(x: 50, y: 60)
    indicator.startAnimating()
    test.draw()

    test.advance(by: 0.1)

    #expect(test.lastDirtyRects == [Rect(x: 50, y: 60, width: 20, height: 20)])
  }

  @Test func sizesMatchUIKit() {
    #expect(ActivityIndicator(style: .medium).frame.size == Size(width: 20, height: 20))
    #expect(ActivityIndicator(style: .large).sizeThatFits(.zero) == Size(width: 37, height: 37))
  }

  @Test func artworkIsCachedAndSizedInPixels() {
    let first = SpinnerArtwork.frame(index: 3, diameter: 40, color: .white)

    #expect(first === SpinnerArtwork.frame(index: 15, diameter: 40, color: .white))
    #expect(first.pixelWidth == 40)
    #expect(SpinnerArtwork.frame(index: -9, diameter: 40, color: .white) === first)
    #expect(SpinnerArtwork.frame(index: 0, diameter: -1, color: .white).pixelWidth == 4)
  }

  @Test func teethFadeAgainstTheDirectionOfRotation() {
    // The brightest tooth is at the top, the second brightest a twelfth of a turn before it.
    let bitmap = SpinnerArtwork.frame(index: 0, diameter: 120, color: .white).bitmap
    let top = bitmap.color(x: 60, y: 15)
    let right = bitmap.color(x: 105, y: 60)
    let left = bitmap.color(x: 15, y: 60)

    #expect(top.alpha == 255)
    #expect(left.alpha > right.alpha)
    #expect(right.alpha > 40)
    #expect(bitmap.color(x: 60, y: 60).alpha == 0)
  }
}
