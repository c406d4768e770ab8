import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Page dots")
struct PageDotsTests {
  private let dots = PageDots(frame: Rect(x: 0, y: 0, width: 100, height: 24))
  private let test: TestWindow
  private let log = ControlLog()
  private let left = Point(x: 20, y: 12)
  private let right = Point(x: 80, y: 12)

  init() {
    dots.numberOfPages = 3
    test = TestWindow(dots)
    log.record(dots)
  }

  private var changes: Int { log.events.count { $0 == .valueChanged } }

  @Test func currentDotHasItsOwnColor() {
    dots.currentDotColor = Color(hex: 0xFF0000)
    dots.dotColor = Color(hex: 0x00FF00)
    dots.currentPage = 2

    #expect(test.fills(of: Color(hex: 0xFF0000)).map(\.minX) == [62])
    #expect(test.fills(of: Color(hex: 0x00FF00)).map(\.minX) == [30, 46])
  }

  @Test func tapOnAHalfGoesBackOrForward() {
    test.tap(at: right)
    #expect(dots.currentPage == 1)
    test.tap(at: right)
    test.tap(at: left)
    #expect(dots.currentPage == 1)

    #expect(changes == 3)
    #expect(log.events.count { $0 == .touchUpInside } == 3)
  }

  @Test func tapAtAnEndChangesNothingUnlessPagesLoop() {
    test.tap(at: left)
    #expect(dots.currentPage == 0)
    #expect(changes == 0)
    dots.loops = true
    test.tap(at: left)
    #expect(dots.currentPage == 2)
    test.tap(at: right)

    #expect(dots.currentPage == 0)
    #expect(changes == 2)
  }

  @Test func fingerLiftedOutsideChangesNothing() {
    test.press(at: left)
    test.move(to: Point(x: 20, y: 200))
    test.release()
    #expect(dots.currentPage == 0)
    test.window.focus(dots)
    test.key(.enter)

    #expect(dots.currentPage == 1)
  }

  @Test func keysChangeThePageWhileTheDotsHaveTheFocus() {
    test.key(.right)
    test.window.focus(dots)
    for key in [Key.right, .space, .right, .left] { test.key(key) }

    #expect(dots.currentPage == 1)
    #expect(changes == 3)
  }

  @Test func changesByCodeSendNothingAndAreLimited() {
    dots.currentPage = 9
    #expect(dots.currentPage == 2)
    dots.numberOfPages = 2
    #expect(dots.currentPage == 1)
    dots.numberOfPages = -1
    dots.currentPage = -1

    #expect(dots.currentPage == 0)
    #expect(dots.numberOfPages == 0)
    #expect(log.events == [])
  }

  @Test func singleDotIsHiddenOnRequest() {
    dots.numberOfPages = 1
    #expect(test.fills(of: dots.currentDotColor).count == 1)
    dots.hidesForSinglePage = true

    #expect(test.fills(of: dots.currentDotColor) == [])
    #expect(!dots.canBecomeFocused)
  }

  @Test func dotsReportTheirPage() {
    dots.currentPage = 1

    #expect(dots.accessibilityRole == .control)
    #expect(dots.accessibilityValue == "2 of 3")
    #expect(dots.sizeThatFits(Size(width: 400, height: 0)) == Size(width: 40, height: 24))
    #expect(PageDots().accessibilityValue == nil)
  }
}
