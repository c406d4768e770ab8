import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

@Suite("Order of rows", .timeLimit(.minutes(5)))
struct RowOrderTests {
  @Test func visibleRowsComeFirstThenRowsAheadThenRowsBehind() {
    #expect(RowOrder(8..<16, visible: 10..<14, from: 0..<6).rows == [10, 11, 12, 13, 14, 15, 9, 8])
    #expect(RowOrder(8..<16, visible: 10..<14, from: 90..<96).rows == [10, 11, 12, 13, 9, 8, 14, 15])
    #expect(RowOrder(0..<6, visible: 0..<4, from: 0..<0).rows == [0, 1, 2, 3, 4, 5])
    #expect(RowOrder(3..<5, visible: 0..<0, from: 0..<0).rows == [3, 4])
  }

  @Test func everyRowAppearsOnce() {
    for lower in 0..<6 {
      for upper in lower..<10 {
        for visible in [0..<0, 0..<3, 2..<4, 5..<12, 3..<3] {
          for old in [0..<0, 0..<2, 4..<8, 9..<12] {
            #expect(
              RowOrder(lower..<upper, visible: visible, from: old).rows.sorted() == Array(lower..<upper))
          }
        }
      }
    }
  }

  /// A cell that requests its image on layout, like an image view inside a cell.
  private final class Cell: ListCell {
    var onLayout: (Int) -> Void = { _ in }

    override func layoutSubviews() {
      if let row { onLayout(row) }
    }
  }

  private final class Source: ListViewDataSource {
    var configured: [Int] = []
    var laidOut: [Int] = []

    func numberOfRows(in listView: ListView) -> Int { 1_000_000 }

    func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
      let cell = listView.dequeueCell(Cell.self)
      cell.onLayout = { [weak self] in self?.laidOut.append($0) }
      // A new text or size has the same effect.
      cell.setNeedsLayout()
      configured.append(row)
      return cell
    }
  }

  private let list = ListView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let source = Source()
  private let test = TestWindow(size: Size(width: 200, height: 200))

  private func show(_ layout: ListLayout) {
    list.layout = layout
    list.dataSource = source
    test.window.addSubview(list)
    test.draw()
    (source.configured, source.laidOut) = ([], [])
  }

  @Test func jumpDownLoadsTheVisibleRowsFirst() {
    show(.rows(height: 50))

    list.scrollToRow(500_000, at: .top)
    test.draw()

    #expect(source.configured == [500_000, 500_001, 500_002, 500_003, 500_004, 500_005, 499_999, 499_998])
    #expect(source.laidOut.prefix(8) == source.configured[...])
  }

  @Test func jumpUpLoadsTheRowsAboveBeforeTheRowsBelow() {
    show(.rows(height: 50))
    list.scrollToRow(999_999)
    test.draw()
    (source.configured, source.laidOut) = ([], [])

    list.scrollToRow(100, at: .top)
    test.draw()

    #expect(source.configured == [100, 101, 102, 103, 99, 98, 104, 105])
    #expect(source.laidOut.prefix(8) == source.configured[...])
  }

  @Test func jumpAmongTilesLoadsTheVisibleTilesFirst() {
    show(.tiles(Size(width: 50, height: 50), gap: 0))

    list.scrollToRow(400, at: .top)

    #expect(Array(source.configured.prefix(16)) == Array(400..<416))
    #expect(Array(source.configured[16..<24]) == Array(416..<424))
    #expect(Set(source.configured[24...]) == Set(392..<400))
  }

  @Test func cellsStayInTheOrderOfTheirRows() {
    show(.rows(height: 50))
    for row in [40, 41, 500, 498, 3, 999_999] {
      list.scrollToRow(row, at: .middle)
      test.draw()

      let rows = list.subviews.compactMap { ($0 as? ListCell)?.row }
      #expect(rows == rows.sorted())
      #expect(rows.count >= 4)
      for row in list.visibleRows { #expect(list.cell(at: row)?.row == row) }
    }
  }
}
