import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

@Suite("Focus: nearest rectangle")
struct FocusGeometryTests {
  private let from = Rect(x: 100, y: 100, width: 40, height: 20)

  private func nearest(_ direction: FocusDirection, _ candidates: Rect...) -> Int? {
    FocusGeometry(direction: direction).nearest(to: from, among: candidates)
  }

  /// One rectangle in each direction, 10 points away.
  private let neighbors: [FocusDirection: Rect] = [
    .up: Rect(x: 100, y: 70, width: 40, height: 20), .down: Rect(x: 100, y: 130, width: 40, height: 20),
    .left: Rect(x: 50, y: 100, width: 40, height: 20), .right: Rect(x: 150, y: 100, width: 40, height: 20),
  ]

  @Test(arguments: FocusDirection.allCases)
  func nearestRectangleIsFoundInEachDirection(direction: FocusDirection) {
    let all = FocusDirection.allCases.compactMap { neighbors[$0] }

    let found = FocusGeometry(direction: direction).nearest(to: from, among: all)

    #expect(found.map { all[$0] } == neighbors[direction])
  }

  @Test func nearestIsNilWithoutARectangleAhead() {
    #expect(nearest(.right) == nil)
    #expect(nearest(.right, from) == nil, "itself")
    #expect(nearest(.right, Rect(x: 0, y: 100, width: 40, height: 20)) == nil, "behind")
  }

  @Test(arguments: FocusDirection.allCases)
  func enclosingAndEnclosedRectanglesAreIgnored(direction: FocusDirection) {
    let geometry = FocusGeometry(direction: direction)
    let enclosing = from.inset(by: -30)
    let enclosed = from.inset(by: 5)

    #expect(geometry.nearest(to: from, among: [enclosing, enclosed]) == nil)
  }

  @Test(arguments: FocusDirection.allCases)
  func rectanglesInTheCornersOfTheOriginAreIgnored(direction: FocusDirection) {
    let corners = [
      Rect(x: 100, y: 100, width: 10, height: 5), Rect(x: 130, y: 100, width: 10, height: 5),
      Rect(x: 100, y: 115, width: 10, height: 5), Rect(x: 130, y: 115, width: 10, height: 5),
    ]

    #expect(FocusGeometry(direction: direction).nearest(to: from, among: corners) == nil)
  }

  @Test func rectangleOverlappingLessThanHalfIsAhead() {
    #expect(nearest(.right, Rect(x: 125, y: 100, width: 40, height: 20)) == 0)
    #expect(nearest(.right, Rect(x: 115, y: 100, width: 40, height: 20)) == nil)
    #expect(nearest(.down, Rect(x: 100, y: 112, width: 40, height: 20)) == 0)
  }

  @Test func horizontalMovePrefersTheSameRow() {
    let nearAside = Rect(x: 170, y: 125, width: 40, height: 20)
    let farInRow = Rect(x: 600, y: 110, width: 40, height: 60)

    #expect(nearest(.right, nearAside, farInRow) == 1)
  }

  @Test func horizontalMoveLeavesTheRowByAtMost45Degrees() {
    #expect(nearest(.right, Rect(x: 170, y: 140, width: 40, height: 20)) == 0)
    #expect(nearest(.right, Rect(x: 170, y: 150, width: 40, height: 20)) == 0, "as far ahead as aside")
    #expect(nearest(.right, Rect(x: 170, y: 151, width: 40, height: 20)) == nil)
    #expect(nearest(.right, Rect(x: 150, y: 400, width: 40, height: 20)) == nil)
    #expect(nearest(.left, Rect(x: 0, y: 400, width: 90, height: 20)) == nil)
  }

  @Test func verticalMoveWeighsSidewaysDistanceTwice() {
    let below = Rect(x: 100, y: 180, width: 40, height: 20)
    let nearerAside = Rect(x: 145, y: 140, width: 40, height: 20)
    let furtherAside = Rect(x: 170, y: 140, width: 40, height: 20)

    #expect(nearest(.down, below, nearerAside) == 1, "20 ahead and 5 aside, against 60 ahead")
    #expect(nearest(.down, below, furtherAside) == 0, "20 ahead and 30 aside")
    #expect(
      nearest(.down, Rect(x: 900, y: 121, width: 40, height: 20)) == 0, "the only one, however far aside")
  }

  @Test func tiesAreResolvedByCenterThenByOrder() {
    let left = Rect(x: 80, y: 130, width: 40, height: 20)
    let middle = Rect(x: 90, y: 130, width: 60, height: 20)
    let right = Rect(x: 120, y: 130, width: 40, height: 20)

    #expect(nearest(.down, left, middle, right) == 1)
    #expect(nearest(.down, left, right) == 0)
    #expect(nearest(.down, right, left) == 0)
  }

  @Test func touchingNeighborsInAGridAreFound() {
    let tiles = (0..<9).map { Rect(x: 40 * Double($0 % 3), y: 20 * Double($0 / 3), width: 40, height: 20) }
    func next(_ direction: FocusDirection) -> Int? {
      FocusGeometry(direction: direction).nearest(to: tiles[4], among: tiles)
    }

    #expect(FocusDirection.allCases.map(next) == [1, 7, 3, 5])
  }

  @Test func searchDoesNotWrapAroundAtTheEnds() {
    let row = (0..<3).map { Rect(x: 50 * Double($0), y: 0, width: 40, height: 20) }

    #expect(FocusGeometry(direction: .right).nearest(to: row[2], among: row) == nil)
    #expect(FocusGeometry(direction: .left).nearest(to: row[0], among: row) == nil)
  }
}

@Suite("Focus: keys")
struct FocusKeyTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))
  private var window: Window { test.window }

  private func button(_ x: Double, _ y: Double, in parent: View? = nil) -> Button {
    let button = Button(frame: Rect(x: x, y: y, width: 80, height: 40))
    (parent ?? window).addSubview(button)
    return button
  }

  private func scrollView(_ frame: Rect, height: Double) -> ScrollView {
    let scrollView = ScrollView(frame: frame)
    scrollView.contentSize = Size(width: frame.width, height: height)
    window.addSubview(scrollView)
    return scrollView
  }

  @Test func arrowsMoveTheFocusToTheNeighbor() {
    let grid = (0..<4).map { button(100 * Double($0 % 2), 100 * Double($0 / 2)) }
    window.focus(grid[0])

    var visited: [Int?] = []
    for key in [Key.right, .down, .left, .up, .up] {
      test.key(key)
      visited.append(grid.firstIndex { $0 === window.focusedView })
    }

    #expect(visited == [1, 3, 2, 0, 0])
  }

  @Test(arguments: ["disabled", "hidden", "transparent", "untouchable"])
  func arrowsSkipUnusableViews(how: String) {
    let views = (0..<3).map { button(100 * Double($0), 0) }
    switch how {
    case "disabled": views[1].isEnabled = false
    case "hidden": views[1].isHidden = true
    case "transparent": views[1].alpha = 0
    default: views[1].isUserInteractionEnabled = false
    }
    window.focus(views[0])
    test.key(.right)

    #expect(window.focusedView === views[2])
  }

  @Test func arrowsWithModifiersDoNotMoveTheFocus() {
    let views = (0..<2).map { button(100 * Double($0), 0) }
    window.focus(views[0])
    test.key(.right, modifiers: .shift)

    #expect(window.focusedView === views[0])
  }

  @Test func focusedViewReceivesArrowsFirst() {
    final class Dial: Control {
      var turns = 0
      override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
        guard key == .right else { return super.keyDown(key, modifiers: modifiers) }
        turns += 1
        return true
      }
    }
    let dial = Dial(frame: Rect(x: 0, y: 0, width: 80, height: 40))
    window.addSubview(dial)
    _ = button(100, 0)
    window.focus(dial)
    test.key(.right)

    #expect(dial.turns == 1)
    #expect(dial.isFocused)
  }

  @Test func focusedViewIsScrolledIntoView() {
    let scrollView = scrollView(Rect(x: 0, y: 0, width: 200, height: 100), height: 400)
    let views = (0..<4).map { button(0, 100 * Double($0), in: scrollView) }
    window.focus(views[0])
    test.key(.down)
    test.advanceUntilIdle()

    #expect(window.focusedView === views[1])
    #expect(scrollView.contentOffset.y == 40)
  }

  @Test func arrowScrollsWhenNoViewLiesInItsDirection() {
    let scrollView = scrollView(Rect(x: 0, y: 0, width: 200, height: 100), height: 400)
    let only = button(0, 0, in: scrollView)
    window.focus(only)
    test.key(.down)
    test.advanceUntilIdle()

    #expect(only.isFocused)
    #expect(scrollView.contentOffset.y == 80)
  }

  @Test func arrowsScrollBeforeFocusingADistantView() {
    let scrollView = scrollView(Rect(x: 0, y: 0, width: 200, height: 100), height: 1000)
    let near = button(0, 0, in: scrollView)
    let far = button(0, 300, in: scrollView)
    window.focus(near)
    test.key(.down)
    test.advanceUntilIdle()
    #expect(near.isFocused)
    #expect(scrollView.contentOffset.y == 80)
    test.key(.down)
    test.advanceUntilIdle()
    #expect(near.isFocused)
    test.key(.down)
    test.advanceUntilIdle()

    #expect(far.isFocused)
    #expect(scrollView.contentOffset.y == 240)
  }

  @Test(arguments: FocusDirection.allCases)
  func arrowScrollsTowardADistantViewInEachDirection(direction: FocusDirection) {
    let scrollView = scrollView(Rect(x: 0, y: 0, width: 100, height: 100), height: 1000)
    scrollView.contentSize.width = 1000
    let middle = button(460, 480, in: scrollView)
    let origins: [FocusDirection: Point] = [
      .up: Point(x: 460, y: 40), .down: Point(x: 460, y: 920), .left: Point(x: 20, y: 480),
      .right: Point(x: 900, y: 480),
    ]
    let keys: [FocusDirection: Key] = [.up: .up, .down: .down, .left: .left, .right: .right]
    guard let origin = origins[direction], let key = keys[direction] else { return }
    let far = button(origin.x, origin.y, in: scrollView)
    scrollView.contentOffset = Point(x: 450, y: 450)
    window.focus(middle)

    test.key(key)
    test.advanceUntilIdle()

    #expect(middle.isFocused && !far.isFocused)
    #expect(scrollView.contentOffset != Point(x: 450, y: 450))
  }

  @Test func viewOutsideANonClippingSuperviewTakesTheFocus() {
    let first = button(0, 0)
    let panel = View(frame: Rect(x: 0, y: 100, width: 20, height: 20))
    window.addSubview(panel)
    let outside = button(100, 0, in: panel)
    window.focus(first)
    test.key(.down)

    #expect(window.focusedView === outside)
  }

  @Test func viewHiddenByAnInnerScrollViewIsSkipped() {
    let outer = scrollView(Rect(x: 0, y: 0, width: 200, height: 200), height: 1000)
    let first = button(0, 0, in: outer)
    let inner = ScrollView(frame: Rect(x: 0, y: 60, width: 200, height: 60))
    inner.contentSize = Size(width: 200, height: 400)
    outer.addSubview(inner)
    let hidden = button(0, 80, in: inner)
    let below = button(0, 150, in: outer)
    window.focus(first)
    test.key(.down)

    #expect(!hidden.isFocused)
    #expect(below.isFocused)
  }

  @Test func arrowScrollsToTheTopBeforeTheFocusLeaves() {
    let above = button(0, 0)
    let scrollView = scrollView(Rect(x: 0, y: 100, width: 200, height: 100), height: 400)
    let inner = button(0, 100, in: scrollView)
    window.focus(inner)
    scrollView.contentOffset.y = 80
    test.key(.up)
    test.advanceUntilIdle()
    #expect(inner.isFocused, "the top of the content is shown first")
    #expect(scrollView.contentOffset.y == 0)
    test.key(.up)

    #expect(above.isFocused)
  }

  @Test func focusEntersAScrollViewAtAVisibleView() {
    let below = button(0, 250)
    let scrollView = scrollView(Rect(x: 0, y: 100, width: 200, height: 100), height: 400)
    let hidden = button(0, 160, in: scrollView)
    let visible = button(0, 20, in: scrollView)
    window.focus(below)
    test.key(.up)
    #expect(window.focusedView === visible)
    #expect(!hidden.isFocused)
  }

  private final class Rows: ListViewDataSource {
    func numberOfRows(in list: ListView) -> Int { 5 }
    func listView(_ list: ListView, cellForRow row: Int) -> ListCell { list.dequeueCell(ListCell.self) }
  }

  @Test func arrowsMoveTheListCursorAndLeaveTheListAtItsEnd() {
    let above = button(0, 0)
    let below = button(0, 250)
    let rows = Rows()
    let list = ListView(frame: Rect(x: 0, y: 50, width: 200, height: 100))
    list.dataSource = rows
    list.onSelect = { _ in }
    window.addSubview(list)
    test.draw()
    window.focus(above)
    test.key(.down)
    #expect(list.isFocused)
    #expect(list.selectedRow == 0)
    for row in 1...4 {
      test.key(.down)
      test.advanceUntilIdle()
      #expect(list.selectedRow == row)
      #expect(list.isFocused)
    }
    test.key(.down)

    #expect(below.isFocused)
    #expect(list.selectedRow == 4)
  }

  private final class RowsWithButtons: ListViewDataSource {
    func numberOfRows(in list: ListView) -> Int { 5 }
    func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
      let cell = list.dequeueCell(ListCell.self)
      cell.addSubview(Button(frame: Rect(x: 0, y: 0, width: 80, height: 40)))
      return cell
    }
  }

  @Test(arguments: [true, false])
  func focusableListIsASingleStopForArrows(isFocusable: Bool) {
    let above = button(0, 0)
    let rows = RowsWithButtons()
    let list = ListView(frame: Rect(x: 0, y: 50, width: 200, height: 100))
    list.dataSource = rows
    if isFocusable { list.onSelect = { _ in } }
    window.addSubview(list)
    test.draw()
    window.focus(above)
    test.key(.down)
    #expect(list.isFocused == isFocusable)
    #expect(window.focusedView?.superview === (isFocusable ? window : list.cell(at: 0)))
    test.key(.tab)
    #expect(window.focusedView is Button, "Tab visits the buttons in the rows in either case")
    #expect(window.focusedView?.superview is ListCell)
  }

  @Test func arrowsWithoutFocusScrollOrElseSetTheFocus() {
    let first = button(0, 0)
    let scrollView = scrollView(Rect(x: 0, y: 100, width: 200, height: 100), height: 400)
    test.key(.down)
    test.advanceUntilIdle()
    #expect(window.focusedView == nil)
    #expect(scrollView.contentOffset.y == 80)
    scrollView.removeFromSuperview()
    test.key(.down)

    #expect(window.focusedView === first)
  }

  @Test func enterWithoutFocusFocusesAVisibleViewWithoutPressing() {
    let scrollView = scrollView(Rect(x: 0, y: 0, width: 200, height: 100), height: 400)
    let hiddenButton = button(0, 0, in: scrollView)
    let visibleButton = button(0, 100, in: scrollView)
    scrollView.contentOffset.y = 80
    var presses = 0
    for view in [hiddenButton, visibleButton] { view.addAction(for: .touchUpInside) { _ in presses += 1 } }
    test.key(.enter)
    #expect(window.focusedView === visibleButton)
    #expect(presses == 0)
    test.key(.enter)

    #expect(presses == 1)
  }

  @Test func moveFocusMovesTheFocusIfANeighborExists() {
    let views = (0..<2).map { button(100 * Double($0), 0) }
    #expect(!window.moveFocus(.right), "no view has the focus")
    window.focus(views[0])

    #expect(window.moveFocus(.right))
    #expect(window.focusedView === views[1])
    #expect(!window.moveFocus(.right))
    #expect(window.focusedView === views[1])
  }
}
