import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("Refresh control")
struct RefreshControlTests {
  private let scrollView = ScrollView(frame: Rect(x: 0, y: 0, width: 300, height: 400))
  private let refresh = RefreshControl()
  private let test = TestWindow(size: Size(width: 300, height: 400))
  private let refreshes = Counter()

  private final class Counter { var count = 0 }

  init() {
    scrollView.contentSize = Size(width: 300, height: 2000)
    scrollView.refreshControl = refresh
    refresh.addAction(for: .valueChanged) { [refreshes] _ in refreshes.count += 1 }
    test.window.addSubview(scrollView)
    test.draw()
  }

  /// Pulls down with a finger from the middle by the given distance.
  private func pull(by distance: Double) {
    test.press(at: Point(x: 150, y: 100))
    for step in 1...10 {
      test.advance(by: 0.03)
      test.move(to: Point(x: 150, y: 100 + distance * Double(step) / 10))
    }
    // The finger rests, so that its release is not a flick.
    test.advance(by: 0.3)
  }

  @Test func longPullRefreshesBeforeTheFingerIsLifted() {
    pull(by: 240)

    #expect(refresh.isRefreshing)
    #expect(refreshes.count == 1)
    test.release()
    test.advance(by: 2)
    #expect(scrollView.contentOffset.y == -RefreshControl.height)
    #expect(refreshes.count == 1)
  }

  @Test func shortPullDoesNotRefresh() {
    pull(by: 60)
    #expect(scrollView.contentOffset.y < -20)

    test.release()
    test.advance(by: 2)

    #expect(!refresh.isRefreshing)
    #expect(refreshes.count == 0)
    #expect(scrollView.contentOffset.y == 0)
  }

  @Test func pullRefreshesOnceEvenIfRefreshingEndsAtOnce() {
    refresh.addAction(for: .valueChanged) { ($0 as? RefreshControl)?.endRefreshing() }

    pull(by: 240)
    test.move(to: Point(x: 150, y: 300))
    #expect(refreshes.count == 1)
    test.release()
    test.advance(by: 2)
    #expect(scrollView.contentOffset.y == 0)
    pull(by: 240)

    #expect(refreshes.count == 2)
  }

  @Test func spinnerAppearsWithThePullAndSpinsWhileRefreshing() {
    pull(by: 60)
    let growing = test.images.map(\.image)
    #expect(growing.count == 1)
    test.advance(by: 1)
    #expect(test.images.map(\.image) == growing, "the spinner stands still")
    test.release()
    test.advance(by: 2)
    #expect(test.images.isEmpty)

    pull(by: 240)
    test.release()
    test.advance(by: 2)
    let turning = test.images.map(\.image)
    test.advance(by: 0.1)

    #expect(turning.count == 1)
    #expect(test.images.map(\.image) != turning)
    #expect(test.window.isIdle)
  }

  @Test func endRefreshingHidesTheSpinnerSmoothly() {
    pull(by: 240)
    test.release()
    test.advance(by: 2)

    refresh.endRefreshing()
    test.advance(by: 0.1)
    #expect((-RefreshControl.height..<0).contains(scrollView.contentOffset.y))
    #expect(test.advanceUntilIdle(limit: 2))

    #expect(scrollView.contentOffset.y == 0)
    #expect(test.images.isEmpty)
    let before = test.framesRun
    test.advance(by: 1)
    #expect(test.framesRun - before <= 1)
  }

  @Test func beginRefreshingShowsTheSpinnerWithoutAnEvent() {
    refresh.beginRefreshing()
    refresh.beginRefreshing()
    test.advance(by: 1)

    #expect(refreshes.count == 0)
    #expect(scrollView.contentOffset.y == -RefreshControl.height)
    #expect(test.images.count == 1)
  }

  @Test func refreshingDoesNotMoveScrolledContent() {
    scrollView.contentOffset.y = 500
    test.draw()

    refresh.beginRefreshing()
    test.advance(by: 1)
    #expect(scrollView.contentOffset.y == 500)
    refresh.endRefreshing()
    test.advance(by: 1)

    #expect(scrollView.contentOffset.y == 500)
  }

  @Test func contentStaysUnderTheFingerWhenRefreshingBeginsAndEnds() {
    pull(by: 100)
    let offset = scrollView.contentOffset.y

    refresh.beginRefreshing()
    test.move(to: Point(x: 150, y: 200))
    #expect(abs(scrollView.contentOffset.y - offset) <= 1)
    refresh.endRefreshing()
    test.move(to: Point(x: 150, y: 200))

    #expect(abs(scrollView.contentOffset.y - offset) <= 1)
    test.release()
    test.advance(by: 2)
    #expect(scrollView.contentOffset.y == 0)
  }

  @Test func contentThatFitsCanBePulled() {
    scrollView.contentSize = Size(width: 300, height: 100)
    pull(by: 240)
    test.release()
    test.advance(by: 2)

    #expect(refreshes.count == 1)
    #expect(scrollView.contentOffset.y == -RefreshControl.height)
    refresh.endRefreshing()
    test.advance(by: 2)
    #expect(scrollView.contentOffset.y == 0)
  }

  @Test func contentThatFitsCannotBePushedUp() {
    scrollView.contentSize = Size(width: 300, height: 100)

    test.drag(from: Point(x: 150, y: 300), to: Point(x: 150, y: 100), duration: 0.3)

    #expect(scrollView.contentOffset.y == 0)
  }

  @Test func flickToTheTopDoesNotRefresh() {
    scrollView.contentOffset.y = 300
    test.drag(from: Point(x: 150, y: 50), to: Point(x: 150, y: 350), duration: 0.05)
    test.advance(by: 3)

    #expect(refreshes.count == 0)
    #expect(scrollView.contentOffset.y == 0)
  }

  @Test func disabledControlDoesNotRefresh() {
    refresh.isEnabled = false
    pull(by: 240)
    refresh.refresh()

    #expect(refreshes.count == 0)
    #expect(test.images.isEmpty)
  }

  @Test func repeatedRefreshSendsOneEvent() {
    refresh.refresh()
    refresh.refresh()

    #expect(refreshes.count == 1)
    #expect(refresh.isRefreshing)
  }

  @Test func insetsLieBetweenTheSpinnerAndTheEdge() {
    scrollView.contentInsets = Insets(top: 20)
    scrollView.contentOffset.y = -20
    refresh.refresh()
    test.advance(by: 1)

    #expect(scrollView.contentOffset.y == -20 - RefreshControl.height)
    #expect(refresh.frame == Rect(x: 0, y: -76, width: 300, height: 56))
  }

  @Test func shortViewRefreshesAfterAShorterPull() {
    scrollView.frame.size.height = 120
    test.press(at: Point(x: 150, y: 5))
    test.move(to: Point(x: 150, y: 16))
    test.move(to: Point(x: 150, y: 119))

    #expect(refreshes.count == 1)
  }

  @Test func nonClippingViewWithoutHeightShowsTheSpinner() {
    scrollView.clipsToBounds = false
    scrollView.frame = Rect(x: 0, y: 200, width: 300, height: 0)
    refresh.beginRefreshing()
    test.advance(by: 0.5)
    refresh.endRefreshing()
    test.advance(by: 0.05)

    #expect(!refresh.isHidden)
    #expect(test.images.count == 1)
  }

  @Test func controlMovedToAnotherViewLeavesTheFirst() {
    let other = ScrollView(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    refresh.beginRefreshing()
    test.advance(by: 1)

    other.refreshControl = refresh
    test.advance(by: 1)

    #expect(scrollView.refreshControl == nil)
    #expect(scrollView.contentOffset.y == 0)
    #expect(refresh.superview === other)
    #expect(other.contentOffset.y == -RefreshControl.height)
    other.refreshControl = nil
    #expect(other.contentOffset.y == 0)
    #expect(refresh.superview == nil)
  }

  @Test func refreshingListShowsTheSpinner() {
    let list = ListView(frame: Rect(x: 0, y: 0, width: 300, height: 400))
    list.refreshControl = refresh
    test.window.addSubview(list)
    refresh.beginRefreshing()
    list.reloadData()
    test.advance(by: 1)

    #expect(list.contentOffset.y == -RefreshControl.height)
  }
}
