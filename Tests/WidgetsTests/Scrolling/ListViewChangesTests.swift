import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// Rows that are inserted, removed and moved in a list that is shown.
@Suite("List view: changes", .timeLimit(.minutes(5)))
struct ListViewChangesTests {
  private final class Cell: ListCell {
    var title = ""
    var ends = 0

    override func didEndDisplaying() { ends += 1 }
  }

  private final class Source: ListViewDataSource, ListViewPrefetching {
    var titles: [String] = []
    var requested: [String] = []
    var likely: [String] = []
    var unlikely: [String] = []

    func numberOfRows(in list: ListView) -> Int { titles.count }

    func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
      let cell = list.dequeueCell(Cell.self)
      requested.append(titles[row])
      cell.title = titles[row]
      return cell
    }

    func listView(_ list: ListView, prefetchRows rows: [Int]) { likely += rows.map { titles[$0] } }
    func listView(_ list: ListView, cancelPrefetchingForRows rows: [Int]) {
      unlikely += rows.map { titles[$0] }
    }
  }

  private let list = ListView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let source = Source()
  private let test = TestWindow(size: Size(width: 200, height: 200))

  /// Shows four of a hundred rows of 50 points.
  init() {
    source.titles = (0..<100).map { "\($0)" }
    list.rowHeight = 50
    list.dataSource = source
    list.prefetchDataSource = source
    test.window.addSubview(list)
    test.draw()
    source.requested = []
  }

  private func show(_ titles: [String]) {
    list.apply(ListChanges(from: source.titles, to: titles)) { source.titles = titles }
  }

  private func change(_ body: (inout [String]) -> Void) {
    var titles = source.titles
    body(&titles)
    show(titles)
  }

  private var visibleTitles: [String] { list.visibleRows.compactMap { (list.cell(at: $0) as? Cell)?.title } }

  /// The cells by their titles.
  private var cells: [String: Cell] {
    let pairs = list.rowsWithCells.compactMap { list.cell(at: $0) as? Cell }.map { ($0.title, $0) }
    return Dictionary(pairs) { first, _ in first }
  }

  private func checkCells(sourceLocation: SourceLocation = #_sourceLocation) {
    for row in list.rowsWithCells {
      let cell = list.cell(at: row) as? Cell
      #expect(cell?.title == source.titles[row], sourceLocation: sourceLocation)
      #expect(cell?.row == row, sourceLocation: sourceLocation)
      #expect(cell?.frame == list.frame(of: row), sourceLocation: sourceLocation)
      #expect(cell?.isSelected == (row == list.selectedRow), sourceLocation: sourceLocation)
    }
    let rows = list.subviews.compactMap { ($0 as? ListCell)?.row }
    #expect(rows == Array(list.rowsWithCells), "the order for Tab", sourceLocation: sourceLocation)
    #expect(Set(list.visibleRows).isSubset(of: list.rowsWithCells), sourceLocation: sourceLocation)
  }

  @Test func rowsThatStayKeepTheirCells() {
    let before = cells

    change { titles in
      titles.remove(at: 1)
      titles.insert("new", at: 2)
    }

    #expect(visibleTitles == ["0", "2", "new", "3"])
    for title in ["0", "2", "3", "4"] { #expect(cells[title] === before[title]) }
    #expect(before["2"]?.ends == 0)
    #expect(before["1"]?.ends == 1)
    #expect(source.requested == ["new"])
    checkCells()
  }

  @Test func firstVisibleRowKeepsItsPlace() {
    list.contentOffset.y = 1020
    test.draw()
    let before = cells
    source.requested = []

    change { $0.insert(contentsOf: ["a", "b", "c"], at: 5) }
    #expect(list.contentOffset.y == 1170)
    #expect(source.requested == [])
    change { $0.removeFirst(7) }

    #expect(list.contentOffset.y == 820)
    #expect(visibleTitles == ["20", "21", "22", "23", "24"])
    for title in visibleTitles { #expect(cells[title] === before[title]) }
    checkCells()
  }

  @Test func rowsInsertedAtTheBeginningAreAboveTheFirstVisibleRow() {
    change { $0.insert("new", at: 0) }
    #expect(visibleTitles == ["0", "1", "2", "3"])

    list.contentOffset.y = 0
    list.sticksToTop = true
    change { $0.insert("newest", at: 0) }

    #expect(list.contentOffset.y == 0)
    #expect(visibleTitles == ["newest", "new", "0", "1"])
    list.contentOffset.y = 10
    change { $0.insert("last", at: 0) }
    #expect(visibleTitles.first == "newest")
    checkCells()
  }

  @Test func movedRowDoesNotTakeTheVisibleRowsAlong() throws {
    list.contentOffset.y = 1000
    test.draw()
    let moved = try #require(cells["20"])
    // The cell was used for other rows before.
    let ends = moved.ends

    change { titles in
      let title = titles.remove(at: 20)
      titles.append(title)
    }

    #expect(visibleTitles == ["19", "21", "22", "23"])
    #expect(list.contentOffset.y == 950)
    #expect(moved.ends == ends + 1)
    checkCells()
  }

  @Test func visibleRowsThatChangePlacesKeepTheirCells() {
    let before = cells

    change { $0.swapAt(0, 3) }

    #expect(visibleTitles.sorted() == ["0", "1", "2", "3"])
    for title in visibleTitles { #expect(cells[title] === before[title]) }
    #expect(source.requested == [])
    checkCells()
  }

  @Test func nextRowTakesThePlaceOfRemovedOnes() {
    list.contentOffset.y = 1030
    test.draw()

    change { $0.removeSubrange(15..<40) }
    #expect(visibleTitles.first == "40")
    #expect(list.contentOffset.y == 780)
    change { $0.removeSubrange(10...) }

    #expect(list.contentOffset.y == 300)
    #expect(visibleTitles == ["6", "7", "8", "9"])
    checkCells()
  }

  @Test func listThatBecomesEmptyOrShortDoesNotScroll() {
    list.contentOffset.y = 1000
    show([])
    #expect(visibleTitles.isEmpty && list.contentOffset.y == 0)
    #expect(list.rowsWithCells.isEmpty)

    show(["a", "b"])

    #expect(visibleTitles == ["a", "b"])
    checkCells()
  }

  @Test func selectionFollowsItsRow() {
    list.selectedRow = 2

    change { $0.insert("new", at: 1) }
    #expect(list.selectedRow == 3)
    checkCells()
    change { $0.removeAll { $0 == "2" } }

    #expect(list.selectedRow == nil)
    checkCells()
  }

  @Test func pressedRowStaysPressedAndIsChosen() throws {
    var chosen: [Int] = []
    list.onSelect = { chosen.append($0) }
    let pressed = try #require(cells["2"])
    list.contentOffset.y = 100
    test.draw()
    test.press(at: Point(x: 100, y: 25))
    test.advance(by: 0.15)
    #expect(pressed.isHighlighted)

    change { $0.insert("new", at: 0) }
    test.draw()
    #expect(pressed.isHighlighted)
    test.release()
    test.advanceUntilIdle()

    #expect(chosen == [3])
    #expect(source.titles[3] == "2")
  }

  @Test func removedRowIsNotPressedAnyMore() throws {
    var chosen: [Int] = []
    list.onSelect = { chosen.append($0) }
    let pressed = try #require(cells["2"])
    test.press(at: Point(x: 100, y: 125))
    test.advance(by: 0.15)

    change { $0.remove(at: 2) }
    test.draw()
    #expect(!pressed.isHighlighted)
    test.release()
    test.advanceUntilIdle()

    #expect(chosen.isEmpty)
  }

  @Test func dragAndFlickContinueOverTheSameRows() {
    list.contentOffset.y = 1000
    test.draw()
    test.press(at: Point(x: 100, y: 150))
    test.move(to: Point(x: 100, y: 130))
    let dragged = list.contentOffset.y
    change { $0.insert(contentsOf: ["a", "b"], at: 0) }
    #expect(list.contentOffset.y == dragged + 100)
    test.move(to: Point(x: 100, y: 120))
    #expect(list.contentOffset.y == dragged + 110)
    test.release()

    list.setContentOffset(Point(x: 0, y: 2000), animated: true)
    test.advance(by: 0.1)
    change { $0.removeFirst(2) }
    #expect(list.isScrolling)
    test.advanceUntilIdle()

    #expect(list.contentOffset.y == 1900)
    checkCells()
  }

  @Test(arguments: [
    ScrollMotion.Course.flick(Deceleration(start: 1000, velocity: 900)),
    .spring(Spring(target: 1000, displacement: 40, velocity: 0)),
    .glide(from: 1000, to: 1300, duration: 0.4, curve: .easeInOut),
  ])
  func shiftedMotionPassesTheSameContent(course: ScrollMotion.Course) {
    var motion = ScrollMotion(course, at: 0)
    var shifted = motion
    shifted.shift(by: 250)

    for time in stride(from: 0, through: 3, by: 0.1) {
      let offset = motion.step(at: time, range: 0...5000, bounces: true).offset
      let shiftedOffset = shifted.step(at: time, range: 0...5000, bounces: true).offset
      #expect(abs(shiftedOffset - offset - 250) < 1e-6)
    }
  }

  @Test func prefetchOfRemovedRowsIsCancelled() {
    #expect(source.likely == ["6", "7", "8", "9", "10", "11"])
    source.likely = []

    change { titles in
      titles.removeAll { $0 == "7" || $0 == "10" }
      titles.insert("new", at: 8)
    }

    #expect(source.unlikely == ["7", "10"])
    #expect(source.likely == ["new", "12"])
    #expect(list.cell(at: 6) == nil)
  }

  @Test func prefetchedRowsThatMovedAwayAreCancelled() {
    source.likely = []

    change { $0.insert(contentsOf: ["a", "b", "c"], at: 6) }

    #expect(source.unlikely == ["9", "10", "11"])
    #expect(source.likely == ["a", "b", "c"])
  }

  @Test func rowsAreRequestedAgainAfterAWrongCount() {
    list.apply(ListChanges(unchanged: 3)) { source.titles = ["x", "y"] }
    test.draw()
    #expect(visibleTitles == ["x", "y"])

    list.apply(ListChanges(from: ["x", "y"], to: ["x"])) { source.titles = ["p", "q", "r"] }
    test.draw()

    #expect(visibleTitles == ["p", "q", "r"])
    checkCells()
  }

  @Test func listOutsideAWindowKeepsItsPlaceAndRequestsNoCells() {
    list.contentOffset.y = 1020
    list.selectedRow = 21
    list.removeFromSuperview()
    source.requested = []

    change { $0.insert(contentsOf: ["a", "b"], at: 0) }
    #expect(source.requested == [])
    #expect(list.rowsWithCells.isEmpty)
    test.window.addSubview(list)
    test.draw()

    #expect(list.contentOffset.y == 1120)
    #expect(list.selectedRow == 23)
    #expect(visibleTitles.first == "20")
    checkCells()
  }

  @Test func rowsOfAPendingReloadHaveNoCells() {
    list.reloadData()

    show(["a", "b"])
    #expect(list.rowsWithCells.isEmpty, "a caller goes through these rows and reads the new data")
    test.draw()

    #expect(visibleTitles == ["a", "b"])
    checkCells()
  }

  @Test func scrollingIsReportedWhenTheDataHaveChanged() {
    list.contentOffset.y = list.verticalRange.upperBound
    test.draw()
    var reports: [[String]] = []
    list.onScroll = { [source] in
      guard let list = $0 as? ListView else { return }
      reports.append(list.visibleRows.map { source.titles[$0] })
    }

    change { $0.insert(contentsOf: ["a", "b", "c"], at: 0) }
    #expect(reports == [["96", "97", "98", "99"]])
    list.contentOffset.y = 0

    #expect(reports.last == ["a", "b", "c", "0"])
  }

  @Test func rowsInsertedWhileARefreshControlAppearsAreVisible() {
    let refresh = RefreshControl()
    list.refreshControl = refresh
    list.sticksToTop = true
    refresh.beginRefreshing()
    test.advance(by: 0.1)
    #expect(list.contentOffset.y < 0 && list.contentOffset.y > -RefreshControl.height)

    change { $0.insert("new", at: 0) }
    test.advance(by: 0.5)
    #expect(list.contentOffset.y == -RefreshControl.height)
    refresh.endRefreshing()
    test.advanceUntilIdle()

    #expect(list.contentOffset.y == 0)
    #expect(visibleTitles == ["new", "0", "1", "2"])
    checkCells()
  }

  @Test func changeBeforeAPendingReloadIsIncluded() {
    list.reloadData()
    list.selectedRow = 1

    change { $0.insert("new", at: 0) }
    test.draw()

    #expect(list.selectedRow == 2)
    #expect(visibleTitles == ["new", "0", "1", "2"])
    checkCells()
  }

  @Test func tilesStayInTheirLine() {
    list.layout = .tiles(Size(width: 60, height: 40), gap: 10)
    test.draw()
    list.contentOffset.y = 500
    test.draw()
    let first = list.visibleRows.first.map { source.titles[$0] }
    let before = cells

    change { $0.insert(contentsOf: ["a", "b", "c", "d"], at: 0) }

    #expect(list.contentOffset.y == 550)
    for title in visibleTitles { #expect(cells[title].map { $0 === before[title] } ?? false) }
    #expect(first.map { visibleTitles.contains($0) } == true)
    checkCells()
  }

  /// Random edits at random offsets: cells always show their rows, and the first visible row stays if it can.
  @Test(arguments: 0..<8) func cellsAgreeWithTheRowsAfterRandomChanges(seed: Int) {
    var random = SplitMix(state: UInt64(seed))
    var nextTitle = 100
    for _ in 0..<60 {
      list.contentOffset.y = Double(random.next(max(1, source.titles.count * 50)))
      let before = (
        titles: source.titles, cells: cells, ends: cells.mapValues(\.ends), visible: list.visibleRows
      )
      let offset = list.contentOffset.y
      change { titles in
        for _ in 0..<random.next(8) {
          let row = random.next(titles.count + 1)
          switch random.next(3) {
          case 0 where row < titles.count: titles.remove(at: row)
          case 1 where row < titles.count: titles.append(titles.remove(at: row))
          default:
            titles.insert("\(nextTitle)", at: row)
            nextTitle += 1
          }
        }
      }

      checkCells()
      for (title, cell) in cells {
        guard let old = before.cells[title], let ends = before.ends[title] else { continue }
        #expect(cell === old || old.ends > ends)
      }
      let changes = ListChanges(from: before.titles, to: source.titles)
      guard let anchor = RowAnchor(changes, visible: before.visible) else { continue }
      let wanted = offset + Double(anchor.newRow - anchor.oldRow) * 50
      let range = list.verticalRange
      #expect(list.contentOffset.y == min(range.upperBound, max(range.lowerBound, wanted)))
    }
  }
}
