import Testing
import VitrineGraphics
import VitrineTesting
import VitrineWidgets

@Suite("List view of tiles", .timeLimit(.minutes(5)))
struct TileListTests {
  private final class Source: ListViewDataSource {
    var count = 10_000
    var requestedRows: [Int] = []
    var made: Set<ObjectIdentifier> = []

    func numberOfRows(in listView: ListView) -> Int { count }

    func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
      requestedRows.append(row)
      let cell = listView.dequeueCell(ListCell.self)
      made.insert(ObjectIdentifier(cell))
      return cell
    }
  }

  private let list = ListView(frame: Rect(x: 0, y: 0, width: 330, height: 170))
  private let source = Source()
  private let test = TestWindow(size: Size(width: 400, height: 300))

  /// Shows three columns and three lines, the last of which is clipped.
  init() {
    list.layout = .tiles(Size(width: 100, height: 50), gap: 10)
    list.dataSource = source
    test.window.addSubview(list)
    test.draw()
  }

  private var firstVisible: Int? { list.visibleRows.first }

  @Test func onlyTilesNearTheScreenHaveCells() {
    #expect(source.requestedRows == Array(0..<15))
    #expect(list.visibleRows == 0..<9)
    #expect(list.cell(at: 4)?.frame == Rect(x: 115, y: 60, width: 100, height: 50))
    #expect(list.contentSize == Size(width: 330, height: 3334 * 60 - 10))
    #expect(list.row(at: Point(x: 120, y: 65)) == 4)
    #expect(list.row(at: Point(x: 110, y: 65)) == nil)
  }

  @Test func scrollingRequestsCellsOfNewLinesOnly() {
    source.requestedRows = []
    list.contentOffset.y = 70

    #expect(source.requestedRows == [15, 16, 17])
    #expect(list.visibleRows == 3..<12)
  }

  @Test(arguments: [10_000, 1_000_000])
  func cellsAreReusedForAnyNumberOfTiles(count: Int) {
    source.count = count
    list.reloadData()
    test.draw()
    for offset in stride(
      from: 0.0, to: list.verticalRange.upperBound, by: list.verticalRange.upperBound / 200)
    {
      list.contentOffset.y = offset
      test.draw()
    }
    list.scrollToRow(count - 1)

    #expect(list.visibleRows.upperBound == count)
    // At most 4 lines are visible, and 3 more on either side have cells.
    #expect(source.made.count <= 30)
  }

  @Test func cellsStayInTileOrderForTab() {
    list.contentOffset.y = 600
    list.contentOffset.y = 500
    test.draw()

    let rows = list.subviews.compactMap { ($0 as? ListCell)?.row }
    #expect(rows == rows.sorted())
    #expect(rows.count == Set(rows).count)
  }

  @Test func tapSelectsATileAndIgnoresGaps() {
    var chosen: [Int] = []
    list.onSelect = { chosen.append($0) }
    test.tap(at: Point(x: 160, y: 80))
    test.tap(at: Point(x: 110, y: 80))
    test.tap(at: Point(x: 2, y: 80))

    #expect(chosen == [4])
    #expect(list.cell(at: 4)?.isSelected == true)
  }

  @Test func arrowsMoveTheCursorAndScrollTheList() {
    var chosen: [Int] = []
    list.onSelect = { chosen.append($0) }
    test.key(.tab)
    #expect(list.selectedRow == 0)
    test.key(.left)
    #expect(list.selectedRow == 0)
    for key in [Key.right, .down, .down, .right] { test.key(key) }
    test.advanceUntilIdle()
    #expect(list.selectedRow == 8)
    // The third line and the gap below it have come into view.
    #expect(list.contentOffset.y == 10)
    test.key(.right)
    test.advanceUntilIdle()
    #expect(list.selectedRow == 9)
    #expect(list.contentOffset.y == 70)
    test.key(.enter)

    #expect(chosen == [9])
  }

  @Test func pageHomeAndEndKeysMoveTheCursor() {
    list.onSelect = { _ in }
    test.window.focus(list)
    list.selectedRow = 1
    test.key(.pageDown)
    test.advanceUntilIdle()
    #expect(list.selectedRow == 7)
    test.key(.end)
    test.advanceUntilIdle()
    #expect(list.selectedRow == 9_999)
    #expect(list.contentOffset.y == list.verticalRange.upperBound)
    test.key(.pageUp)
    #expect(list.selectedRow == 9_993)
    test.key(.home)
    test.advanceUntilIdle()
    #expect(list.selectedRow == 0)
    #expect(list.contentOffset.y == 0)
  }

  @Test func cursorAtAnEndScrollsTheInsetIntoView() {
    list.contentInsets = Insets(top: 10, bottom: 10)
    list.onSelect = { _ in }
    test.window.focus(list)
    for key in [Key.end, .home] {
      test.key(key)
      test.advanceUntilIdle()
      let range = list.verticalRange
      #expect(list.contentOffset.y == (key == .end ? range.upperBound : range.lowerBound))
    }
  }

  @Test func keysScrollAListWithoutFocus() {
    test.key(.pageDown)
    test.advanceUntilIdle()

    #expect(list.selectedRow == nil)
    #expect(list.contentOffset.y == 153)
  }

  @Test func widthChangeKeepsTheFirstVisibleTile() {
    list.contentOffset.y = 6000
    #expect(firstVisible == 300)
    list.frame.size.width = 220
    test.draw()

    // Two columns.
    #expect(firstVisible == 300)
    #expect(list.contentOffset.y == 9000)
  }

  @Test func restoringTheWidthRestoresTheOffset() {
    list.contentOffset.y = 6030
    // With two or four columns, tile 301 is not the first of its line.
    for width in [480.0, 220, 100, 250, 700, 330] {
      list.frame.size.width = width
      test.draw()
      #expect(list.visibleRows.contains(300))
    }

    #expect(firstVisible == 300)
    #expect(list.contentOffset.y == 6030)
  }

  @Test func scrollingDiscardsTheTileKeptByAWidthChange() {
    list.contentOffset.y = 6000
    list.frame.size.width = 220
    test.draw()
    #expect(firstVisible == 300)

    list.contentOffset.y = 600
    #expect(firstVisible == 20)
    list.frame.size.width = 330
    test.draw()

    #expect(firstVisible.map { (18...20).contains($0) } == true)
  }

  @Test func rotatingTheListKeepsItsEndReachable() {
    list.contentOffset.y = list.verticalRange.upperBound
    let first = firstVisible
    list.frame.size = Size(width: 110, height: 330)
    test.draw()

    #expect(firstVisible == first)
    #expect(list.verticalRange.contains(list.contentOffset.y))
    list.frame.size = Size(width: 330, height: 170)
    test.draw()
    #expect(list.contentOffset.y == list.verticalRange.upperBound)
  }

  @Test func widthChangeKeepsTheListAtItsTop() {
    list.contentInsets = Insets(top: 10, bottom: 10)
    list.contentOffset.y = -10
    test.draw()
    list.frame.size.width = 220
    test.draw()

    #expect(list.contentOffset.y == -10)
  }

  @Test func widthChangeWithTheSameColumnsKeepsOffsetAndCells() {
    list.contentOffset.y = 6030
    source.requestedRows = []
    list.frame.size.width = 390
    test.draw()

    #expect(list.contentOffset.y == 6030)
    #expect(source.requestedRows.isEmpty)
    #expect(list.cell(at: 300)?.frame.minX == 35)
  }

  @Test func columnChangeKeepsTheCellsOfNearbyTiles() {
    list.contentOffset.y = 6000
    source.requestedRows = []
    list.frame.size.width = 220
    test.draw()

    #expect(!source.requestedRows.contains { (296..<306).contains($0) })
    #expect(list.cell(at: 301)?.frame == list.frame(of: 301))
  }

  @Test func layoutChangeKeepsTheFirstVisibleTile() {
    list.contentOffset.y = 6030
    list.layout = .tiles(Size(width: 40, height: 40), gap: 2)
    test.draw()
    #expect(list.visibleRows.contains(300))
    list.layout = .rows(height: 44)
    test.draw()

    #expect(firstVisible == 300)
    #expect(list.rowHeight == 44)
    #expect(list.cell(at: 300)?.frame.width == 330)
  }

  @Test func arrowsMoveTheCursorAcrossColumnsOfRows() {
    list.layout = .rows(height: 50, minimumWidth: 150, gap: 10)
    list.onSelect = { _ in }
    test.draw()
    test.key(.tab)
    #expect(list.cell(at: 1)?.frame == Rect(x: 170, y: 0, width: 160, height: 50))

    var rows: [Int?] = []
    for key in [Key.right, .down, .left, .up, .end, .home] {
      test.key(key)
      test.advanceUntilIdle()
      rows.append(list.selectedRow)
    }

    #expect(rows == [1, 3, 2, 0, 9_999, 0])
  }

  @Test func singleColumnOfRowsScrollsByTheKeysThatMoveAcrossColumns() {
    list.layout = .rows(height: 50, minimumWidth: 200)
    list.onSelect = { _ in }
    test.draw()
    test.key(.tab)
    test.key(.right)
    test.key(.end)
    test.advanceUntilIdle()

    #expect(list.selectedRow == 0)
    #expect(list.contentOffset.y == list.verticalRange.upperBound)
  }

  @Test func columnsOfRowsKeepTheirCellsAndTheFirstVisibleRowInAnotherWidth() {
    list.layout = .rows(height: 50, minimumWidth: 150, gap: 10)
    test.draw()
    list.contentOffset.y = 6000
    test.draw()
    #expect(firstVisible == 200)
    source.requestedRows = []

    list.frame.size.width = 326
    test.draw()
    #expect(source.requestedRows.isEmpty)
    #expect(list.cell(at: 201)?.frame == Rect(x: 168, y: 6000, width: 158, height: 50))
    list.frame.size.width = 200
    test.draw()

    #expect(firstVisible == 200)
    #expect(list.cell(at: 200)?.frame.width == 200)
  }

  @Test func scrollToRowReachesATileRightAfterAWidthChange() {
    list.frame.size.width = 220
    list.scrollToRow(1000, at: .top)
    test.draw()

    #expect(list.contentOffset.y == 30_000)
    #expect(firstVisible == 1000)
  }

  @Test func sideInsetsReduceTheWidthForTiles() {
    list.contentInsets = Insets(left: 50, right: 50)
    test.draw()

    #expect(list.frame(of: 2).minY == 60)
    #expect(list.horizontalRange == -50...(-50))
    #expect(list.contentOffset.x == -50)
  }

  @Test func tileWiderThanTheListScrollsHorizontally() {
    list.layout = .tiles(Size(width: 500, height: 50), gap: 10)
    test.draw()

    #expect(list.visibleRows == 0..<3)
    #expect(list.horizontalRange == 0...170)
  }

  @Test func listRecoversFromZeroSizeAndZeroItems() {
    list.frame.size = .zero
    test.draw()
    #expect(list.visibleRows.isEmpty)
    source.count = 0
    list.reloadData()
    list.frame.size = Size(width: 330, height: 170)
    test.draw()
    #expect(list.subviews.isEmpty)
    source.count = 1
    list.reloadData()
    test.draw()

    #expect(list.visibleRows == 0..<1)
    #expect(list.contentSize.height == 50)
  }
}
