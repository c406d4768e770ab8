import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

@Suite("Page view: pages", .timeLimit(.minutes(5)))
struct PageViewTests {
  @Test func onlyPagesNearTheCurrentOneHaveViews() {
    let fixture = PageWindow()
    #expect(fixture.source.log == ["prepare 0", "prepare 1", "prepare 2", "view 0", "view 1"])
    #expect(fixture.test.texts == ["a"])
    #expect(fixture.x(ofPage: 1) == 400)
    fixture.source.log = []

    fixture.pages.currentPage = 2
    fixture.test.draw()

    #expect(fixture.test.texts == ["c"])
    #expect(fixture.source.log == ["end 0", "prepare 3", "prepare 4", "view 2", "view 3"])
    #expect(fixture.changes == [2])
  }

  @Test func pagesOutOfReachAreDiscarded() {
    let fixture = PageWindow()
    fixture.source.log = []
    fixture.pages.currentPage = 4

    #expect(
      fixture.source.log == [
        "end 0", "end 1", "discard 0", "discard 1", "prepare 4", "prepare 3", "view 4", "view 3",
      ])
  }

  @Test func numberOfNeighborsIsSettable() {
    let none = PageWindow { $0.neighborCount = 0 }
    #expect(none.source.log == ["prepare 0", "prepare 1", "view 0"])
    let all = PageWindow { $0.neighborCount = .max }

    #expect(all.source.log.filter { $0.hasPrefix("view") } == (0..<5).map { "view \($0)" })
  }

  @Test func pageOutsideTheNeighborsGetsAViewWhenItBecomesVisible() {
    let fixture = PageWindow { $0.neighborCount = 0 }
    fixture.test.press(at: Point(x: 300, y: 200))
    fixture.test.move(to: Point(x: 280, y: 200))
    #expect(fixture.pages.view(forPage: 1) == nil)
    fixture.test.move(to: Point(x: 200, y: 200))

    #expect(fixture.x(ofPage: 1) == 320)
  }

  @Test func pageThatDoesNotExistIsIgnored() {
    let fixture = PageWindow()
    fixture.pages.currentPage = 5
    fixture.pages.currentPage = -1
    fixture.pages.setCurrentPage(99, animated: true)

    #expect(fixture.pages.currentPage == 0)
    #expect(fixture.changes == [])
  }

  @Test func currentPageMayBeSetBeforeTheFirstLayout() {
    let fixture = PageWindow { $0.currentPage = 3 }

    #expect(fixture.test.texts == ["d"])
    #expect(fixture.pages.view(forPage: 0) == nil)
  }

  @Test func animatedChangeMovesFromTheVisiblePageToAFarOneAsToItsNeighbor() {
    let fixture = PageWindow((0..<50).map { "\($0)" })
    fixture.pages.currentPage = 3
    fixture.test.draw()
    fixture.source.log = []
    fixture.pages.setCurrentPage(40, animated: true)
    #expect(fixture.changes == [3, 40])
    fixture.test.advance(by: 0.1)
    #expect((fixture.x(ofPage: 40) ?? 0) - (fixture.x(ofPage: 3) ?? 0) == 400)
    #expect((1.0..<400).contains(fixture.x(ofPage: 40) ?? 0))
    fixture.test.advanceUntilIdle()

    #expect(fixture.test.texts == ["40"])
    #expect(fixture.x(ofPage: 40) == 0)
    #expect(fixture.source.log.filter { $0.hasPrefix("view") } == ["view 40", "view 41", "view 39"])
  }

  @Test func pagesAtRestRequestNoFrames() {
    let fixture = PageWindow()
    fixture.pages.setCurrentPage(1, animated: true)
    fixture.test.advanceUntilIdle()
    let before = fixture.test.framesRun
    fixture.test.advance(by: 10)

    #expect(fixture.test.framesRun == before)
    #expect(!fixture.pages.isMoving)
  }

  @Test func pageViewWithoutSizeOrPagesRequestsNoFrames() {
    let empty = PageWindow([])
    let small = PageWindow { $0.frame.size = .zero }
    for fixture in [empty, small] {
      let before = fixture.test.framesRun
      fixture.test.advance(by: 5)

      #expect(fixture.test.framesRun == before)
      #expect(fixture.pages.subviews.isEmpty)
    }
  }

  @Test func pagesLieAGapApart() {
    let fixture = PageWindow { $0.pageSpacing = 20 }
    #expect(fixture.x(ofPage: 1) == 420)
    fixture.pages.currentPage = 1
    fixture.test.draw()

    #expect(fixture.x(ofPage: 1) == 0)
    #expect(fixture.x(ofPage: 0) == -420)
  }

  // MARK: Changes

  @Test func reloadKeepsThePageByItsNumber() {
    let fixture = PageWindow()
    fixture.pages.currentPage = 3
    fixture.test.draw()
    fixture.source.names = ["v", "w", "x", "y", "z"]
    fixture.pages.reloadData()
    fixture.test.draw()
    #expect(fixture.test.texts == ["y"])
    fixture.source.names = ["v", "w"]
    fixture.pages.reloadData()
    fixture.test.draw()

    #expect(fixture.test.texts == ["w"])
    #expect(fixture.changes == [3, 1])
  }

  @Test func reloadFromWithinTheDataSourceIsAppliedLater() {
    let fixture = PageWindow()
    fixture.source.reloadsOnce = true
    fixture.source.log = []
    fixture.pages.reloadData()
    fixture.test.advance(by: 1)

    #expect(fixture.test.texts == ["a"])
    #expect(fixture.source.log.filter { $0.hasPrefix("view") } == ["view 0", "view 1", "view 0", "view 1"])
    #expect(fixture.pages.subviews.count == 2)
  }

  @Test func appliedChangesKeepTheShownPageAndItsView() {
    let fixture = PageWindow()
    fixture.pages.currentPage = 1
    fixture.test.draw()
    let view = fixture.pages.view(forPage: 1)
    let new = ["x", "a", "y", "b", "e"]
    fixture.source.log = []

    fixture.pages.apply(ListChanges(from: fixture.source.names, to: new)) { fixture.source.names = new }
    fixture.test.draw()

    #expect(fixture.pages.currentPage == 3)
    #expect(fixture.pages.view(forPage: 3) === view)
    #expect(fixture.test.texts == ["b"])
    #expect(fixture.changes == [1, 3])
    // The old page 2 was removed; the old page 0, now page 1, is no neighbor any more.
    #expect(
      fixture.source.log == [
        "end 2", "discard 2", "discard 3", "end 1", "prepare 4", "prepare 2", "view 4", "view 2",
      ])
  }

  @Test func pageAfterARemovedOneTakesItsPlace() {
    let fixture = PageWindow()
    fixture.pages.currentPage = 2
    fixture.test.draw()
    let new = ["a", "b", "d", "e"]
    fixture.pages.apply(ListChanges(from: fixture.source.names, to: new)) { fixture.source.names = new }
    fixture.test.draw()

    #expect(fixture.test.texts == ["d"])
    #expect(fixture.pages.currentPage == 2)
  }

  @Test func changesThatDoNotFitReloadThePages() {
    let fixture = PageWindow()
    fixture.pages.apply(ListChanges(from: ["p"], to: ["p", "q"])) { fixture.source.names = ["p", "q"] }
    fixture.test.draw()

    #expect(fixture.test.texts == ["p"])
    #expect(fixture.pages.numberOfPages == 2)
  }

  // MARK: Keys, wheel, accessibility

  @Test func keysTurnPages() {
    let fixture = PageWindow()
    var passedOn: [Key] = []
    fixture.test.window.unhandledKey = { key, _ in
      passedOn.append(key)
      return true
    }
    var shown: [Int] = []
    for key in [Key.left, .right, .pageDown, .left, .end, .right, .pageUp, .home] {
      fixture.test.key(key)
      fixture.test.advanceUntilIdle()
      shown.append(fixture.pages.currentPage)
    }

    #expect(shown == [0, 1, 2, 1, 4, 4, 3, 0])
    #expect(passedOn == [.left, .right])
  }

  @Test func horizontalWheelTurnsAPagePerStep() {
    let fixture = PageWindow()
    fixture.test.wheel(at: Point(x: 100, y: 100), steps: 0, horizontal: -1)
    #expect(fixture.pages.currentPage == 1)
    fixture.test.advanceUntilIdle()
    fixture.test.wheel(at: Point(x: 100, y: 100), steps: -3)
    fixture.test.wheel(at: Point(x: 100, y: 100), steps: 0, horizontal: 1)
    fixture.test.advanceUntilIdle()

    #expect(fixture.changes == [1, 0])
    #expect(fixture.test.texts == ["a"])
  }

  @Test func verticalWheelWithShiftTurnsAPage() {
    let window = PageWindow()
    window.test.wheel(at: Point(x: 200, y: 150), steps: -1)
    #expect(window.pages.currentPage == 0)
    window.test.wheel(at: Point(x: 200, y: 150), steps: -1, modifiers: .shift)
    #expect(window.pages.currentPage == 1)
    window.test.wheel(at: Point(x: 200, y: 150), steps: -1, modifiers: [.shift, .control])
    #expect(window.pages.currentPage == 1)
  }

  @Test func keyGoesToTheCurrentPageFirst() throws {
    let fixture = PageWindow()
    let page = try #require(fixture.pages.view(forPage: 0))
    let scrollView = ScrollView(frame: page.bounds)
    scrollView.contentSize = Size(width: 900, height: 900)
    page.addSubview(scrollView)
    fixture.test.key(.down)
    fixture.test.key(.right)
    fixture.test.advanceUntilIdle()

    #expect(scrollView.contentOffset == Point(x: 80, y: 80))
    #expect(fixture.pages.currentPage == 0)
  }

  @Test func arrowMovesTheFocusOnThePageBeforeItTurnsThePage() throws {
    let fixture = PageWindow()
    let page = try #require(fixture.pages.view(forPage: 0) as? NamedPage)
    fixture.test.window.focus(page.buttons[0])
    fixture.test.key(.right)
    #expect(page.buttons[1].isFocused)
    #expect(fixture.pages.currentPage == 0)
    fixture.test.key(.right)

    #expect(fixture.pages.currentPage == 1)
    #expect(fixture.test.window.focusedView == nil)
  }

  @Test func tabShowsThePageOfTheNextView() throws {
    let fixture = PageWindow()
    let pages = try [0, 1].map { try #require(fixture.pages.view(forPage: $0) as? NamedPage) }
    fixture.test.window.focus(pages[0].buttons[1])
    fixture.test.key(.tab)
    fixture.test.advanceUntilIdle()

    #expect(pages[1].buttons[0].isFocused)
    #expect(fixture.test.texts == ["b"])
  }

  @Test func pageViewReportsItsRoleAndPage() {
    let fixture = PageWindow()
    fixture.pages.currentPage = 1

    #expect(fixture.pages.accessibilityRole == .pages)
    #expect(fixture.pages.accessibilityValue == "2 of 5")
    #expect(PageView().accessibilityValue == nil)
  }
}
