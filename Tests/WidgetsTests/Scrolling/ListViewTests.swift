import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

@Suite("List view", .timeLimit(.minutes(5)))
struct ListViewTests {
  private final class Cell: ListCell {
    let label = Label()
    var events: [String] = []

    required init(frame: Rect = .zero) {
      super.init(frame: frame)
      addSubview(label)
    }

    override func layoutSubviews() { label.frame = bounds }
    override func prepareForReuse() { events.append("reuse") }
    override func didEndDisplaying() { events.append("end") }
  }

  private final class Source: ListViewDataSource {
    var count = 10_000
    var requestedRows: [Int] = []
    var made: [ObjectIdentifier: Cell] = [:]

    func numberOfRows(in listView: ListView) -> Int { count }

    func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
      requestedRows.append(row)
      let cell = listView.dequeueCell(Cell.self)
      made[ObjectIdentifier(cell)] = cell
      cell.label.text = "row \(row)"
      return cell
    }
  }

  private let list = ListView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let source = Source()
  private let test: TestWindow

  init() {
    test = TestWindow(size: Size(width: 200, height: 200))
    list.rowHeight = 50
    list.dataSource = source
    test.window.addSubview(list)
    test.draw()
  }

  @Test func onlyRowsNearTheScreenHaveCells() {
    #expect(source.requestedRows == [0, 1, 2, 3, 4, 5])
    #expect(list.visibleRows == 0..<4)
    #expect(test.texts == ["row 0", "row 1", "row 2", "row 3"])
    #expect(list.contentSize == Size(width: 200, height: 500_000))
    #expect(list.cell(at: 5) != nil)
    #expect(list.cell(at: 6) == nil)
  }

  @Test func scrollingRequestsCellsOfNewRowsOnly() {
    source.requestedRows = []
    list.contentOffset.y = 80
    test.draw()

    #expect(source.requestedRows == [6, 7])
    #expect(list.visibleRows == 1..<6)
    #expect(test.texts == ["row 1", "row 2", "row 3", "row 4", "row 5"])
  }

  @Test func smallMovesAcrossARowEdgeRequestItsCellOnce() {
    source.requestedRows = []
    for offset in [10.0, 0, 40, 0, 30] { list.contentOffset.y = offset }

    #expect(source.requestedRows == [6])
  }

  @Test func cellsAreReused() {
    for offset in stride(from: 0.0, to: 400_000, by: 3777) {
      list.contentOffset.y = offset
      test.draw()
    }

    // At most 5 rows are visible, and 3 more on either side have cells.
    #expect(source.made.count <= 11)
    #expect(list.subviews.count <= 11)
  }

  @Test func didEndDisplayingIsCalledBeforeReuse() throws {
    let first = try #require(list.cell(at: 0) as? Cell)
    list.contentOffset.y = 5000

    #expect(first.events == ["end", "reuse"])
    #expect(first.row.map { $0 > 90 } == true)
  }

  @Test func scrollToRowReachesTheLastRow() {
    list.scrollToRow(9_999)
    test.draw()

    #expect(test.texts == ["row 9996", "row 9997", "row 9998", "row 9999"])
    #expect(list.visibleRows == 9_996..<10_000)
  }

  @Test func scrollToRowHonorsItsPosition() {
    list.scrollToRow(100, at: .top)
    #expect(list.contentOffset.y == 5000)
    list.scrollToRow(100, at: .middle)
    #expect(list.contentOffset.y == 4925)
    list.scrollToRow(100, at: .bottom)
    #expect(list.contentOffset.y == 4850)
    list.scrollToRow(99, at: .nearest)
    #expect(list.contentOffset.y == 4850)
    list.scrollToRow(-1)
    list.scrollToRow(10_000)
    #expect(list.contentOffset.y == 4850)
  }

  @Test func emptyListShowsNoRowsAndDoesNotScroll() {
    source.count = 0
    list.reloadData()
    test.draw()

    #expect(test.texts.isEmpty)
    #expect(list.visibleRows.isEmpty)
    #expect(list.row(at: .zero) == nil)
    test.drag(from: Point(x: 100, y: 150), to: Point(x: 100, y: 50), duration: 0.1)
    #expect(list.contentOffset.y == 0)
  }

  @Test func reloadingClampsTheOffset() {
    list.contentOffset.y = 10_000
    source.count = 50
    list.reloadData()
    test.draw()

    #expect(list.contentOffset.y == 2300)
    #expect(test.texts.last == "row 49")
  }

  @Test func reloadOfARowRequestsOnlyItsCell() {
    source.requestedRows = []
    list.reload(2)
    list.reload(2000)

    #expect(source.requestedRows == [2])
    test.draw()
    #expect(test.texts.contains("row 2"))
  }

  @Test func reloadOfARowIsSkippedWhileAllRowsAwaitReloading() {
    source.count = 3
    list.reloadData()
    source.requestedRows = []

    list.reload(4)
    #expect(source.requestedRows.isEmpty)

    test.draw()
    #expect(source.requestedRows == [0, 1, 2])
  }

  @Test func scrollFromWithinARowReloadIsAppliedLater() throws {
    final class ScrollingSource: ListViewDataSource {
      var scrolls = false
      func numberOfRows(in list: ListView) -> Int { 1000 }
      func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
        if scrolls {
          scrolls = false
          list.contentOffset.y = 20_000
        }
        return list.dequeueCell(Cell.self)
      }
    }
    let source = ScrollingSource()
    list.dataSource = source
    test.draw()
    source.scrolls = true

    list.reload(1)
    list.setNeedsLayout()
    test.draw()

    #expect(list.visibleRows == 400..<404)
    for row in list.visibleRows { #expect(list.cell(at: row)?.frame == list.frame(of: row)) }
    #expect(list.cell(at: 1) == nil)
  }

  @Test func selectionOfARemovedRowIsCleared() {
    list.selectedRow = 7
    source.count = 8
    list.reloadData()
    test.draw()
    #expect(list.selectedRow == 7)

    source.count = 7
    list.reloadData()
    test.draw()
    #expect(list.selectedRow == nil)
  }

  @Test func tapSelectsTheRow() {
    var chosen: [Int] = []
    list.onSelect = { chosen.append($0) }
    list.contentOffset.y = 100
    test.tap(at: Point(x: 100, y: 75))

    #expect(chosen == [3])
    #expect(list.selectedRow == 3)
    #expect(list.cell(at: 3)?.isSelected == true)

    test.tap(at: Point(x: 100, y: 25))
    #expect(list.cell(at: 3)?.isSelected == false)
  }

  @Test func scrollingRemovesTheHighlight() throws {
    var chosen: [Int] = []
    list.onSelect = { chosen.append($0) }
    let cell = try #require(list.cell(at: 1))
    test.press(at: Point(x: 100, y: 75))
    test.advance(by: 0.15)
    #expect(cell.isHighlighted)
    test.move(to: Point(x: 100, y: 60))
    #expect(!cell.isHighlighted)
    test.release()
    test.advanceUntilIdle()

    #expect(chosen.isEmpty)
  }

  @Test func cellScrolledAwayDuringAPressIsReusedUnhighlighted() throws {
    var chosen: [Int] = []
    list.onSelect = { chosen.append($0) }
    let cell = try #require(list.cell(at: 1))
    test.press(at: Point(x: 100, y: 75))
    test.advance(by: 0.15)
    #expect(cell.isHighlighted)

    list.contentOffset.y = 5000
    test.draw()
    #expect(cell.row != 1)
    #expect(!cell.isHighlighted)
    #expect(source.made.values.allSatisfy { !$0.isHighlighted })
    test.move(to: Point(x: 100, y: 76))
    test.release()
    test.advanceUntilIdle()
    #expect(source.made.values.allSatisfy { !$0.isHighlighted })
    #expect(chosen.isEmpty, "the row now under the finger was not pressed")
  }

  /// Without a window the cell keeps its touches.
  @Test func rowReloadedDuringAPressIsNotHighlighted() throws {
    list.removeFromSuperview()
    let cell = try #require(list.cell(at: 1))
    cell.touchBegan(Touch(id: 1, location: Point(x: 100, y: 75), time: 0))
    #expect(cell.isHighlighted)

    list.reload(1)
    #expect(list.cell(at: 1)?.isHighlighted == false)
    #expect(!cell.isHighlighted)
  }

  @Test func selectionSurvivesScrollingAway() {
    list.selectedRow = 1
    list.contentOffset.y = 5000
    #expect(list.cell(at: 100)?.isSelected == false)
    list.contentOffset.y = 0

    #expect(list.cell(at: 1)?.isSelected == true)
    #expect(list.cell(at: 2)?.isSelected == false)
  }

  @Test func arrowsMoveTheSelectionAndEnterCallsOnSelect() {
    var chosen: [Int] = []
    list.onSelect = { chosen.append($0) }
    test.key(.tab)
    #expect(list.selectedRow == 0)
    for _ in 0..<5 { test.key(.down) }
    test.advanceUntilIdle()
    #expect(list.selectedRow == 5)
    #expect(list.contentOffset.y == 100)
    test.key(.up)
    test.key(.enter)

    #expect(chosen == [4])
  }

  @Test func cellsStayInRowOrderForTab() {
    list.contentOffset.y = 500
    list.contentOffset.y = 425
    test.draw()

    #expect(list.subviews.compactMap { ($0 as? ListCell)?.row } == Array(6..<16))
  }

  @Test func scrollingDrawsEachRowOnce() {
    test.wheel(at: Point(x: 100, y: 100), steps: -1)
    test.advance(by: 0.05)

    #expect(test.lastDirtyRects == [Rect(x: 0, y: 0, width: 200, height: 200)])
    #expect(Set(test.texts).count == test.texts.count)
  }

  @Test func scrollingMeasuresNoTextTwice() {
    let measuring = CountingMeasuring()
    test.window.textMeasuring = measuring
    list.contentOffset.y = 0
    test.advance(by: 0.1)
    _ = test.drawList
    let before = measuring.count

    for offset in stride(from: 0.0, through: 40, by: 1) {
      list.contentOffset.y = offset
      _ = test.drawList
    }

    // One row has become visible.
    #expect(measuring.count - before <= 4)
  }

  @Test func focusedListOutlinesTheRowOfItsCursor() throws {
    func ringedRow() -> Double? {
      for case .border(let rect, _, Color(hex: 0x4C9DFF), _) in test.drawList.commands { return rect.minY }
      return nil
    }
    list.onSelect = { _ in }
    #expect(ringedRow() == nil)

    test.window.focus(list)
    #expect(ringedRow() == 0)
    test.window.handle(.keyDown(.down, modifiers: []))
    #expect(ringedRow() == 50)
    #expect(try #require(list.cell(at: 1)).hasCursor)

    test.window.focus(nil)
    #expect(ringedRow() == nil)
    #expect(list.selectedRow == 1)
  }

  @Test func widerListWidensItsCells() {
    list.frame.size.width = 300
    test.draw()

    #expect(list.cell(at: 0)?.frame.width == 300)
    #expect(list.contentSize.width == 300)
  }

  @Test func reloadFromWithinTheDataSourceIsAppliedLater() {
    final class ReloadingSource: ListViewDataSource {
      var calls = 0
      func numberOfRows(in listView: ListView) -> Int { 3 }
      func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
        calls += 1
        if calls == 1 { listView.reloadData() }
        return listView.dequeueCell(Cell.self)
      }
    }
    let reloadingSource = ReloadingSource()
    list.dataSource = reloadingSource
    test.advance(by: 1)

    #expect(list.cell(at: 2) != nil)
    #expect(reloadingSource.calls == 6)
  }
}
