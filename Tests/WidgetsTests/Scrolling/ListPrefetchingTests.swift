import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineWidgets

/// The rows that a list announces for prefetching.
@Suite("List view: prefetching", .timeLimit(.minutes(5)))
struct ListPrefetchingTests {
  private final class Source: ListViewDataSource, ListViewPrefetching {
    var count = 100
    var likely: [Int] = []
    var unlikely: [Int] = []

    func numberOfRows(in listView: ListView) -> Int { count }
    func listView(_ listView: ListView, cellForRow row: Int) -> ListCell {
      listView.dequeueCell(ListCell.self)
    }
    func listView(_ listView: ListView, prefetchRows rows: [Int]) { likely += rows }
    func listView(_ listView: ListView, cancelPrefetchingForRows rows: [Int]) { unlikely += rows }
  }

  private let list = ListView(frame: Rect(x: 0, y: 0, width: 200, height: 200))
  private let source = Source()
  private let test = TestWindow(size: Size(width: 200, height: 200))

  init() {
    list.rowHeight = 50
    list.dataSource = source
    list.prefetchDataSource = source
    test.window.addSubview(list)
    test.draw()
  }

  @Test func rowsBelowAreAnnouncedFirst() {
    #expect(source.likely == [6, 7, 8, 9, 10, 11])
    #expect(source.unlikely == [])
  }

  @Test func scrollingAnnouncesEachRowOnce() {
    source.likely = []

    for offset in stride(from: 0, through: 200, by: 10) { list.contentOffset.y = Double(offset) }

    #expect(source.likely.count >= 4)
    #expect(source.likely == Array(12..<12 + source.likely.count))
    #expect(source.unlikely == [])
  }

  @Test func reversingCancelsRowsWithoutCellsAndAnnouncesTheNearestFirst() throws {
    list.contentOffset.y = 2000
    (source.likely, source.unlikely) = ([], [])

    list.contentOffset.y = 1800

    let first = try #require((0..<100).first { list.cell(at: $0) != nil })
    #expect(source.likely.first == first - 1)
    #expect(source.likely == source.likely.sorted(by: >))
    #expect(!source.unlikely.isEmpty)
    #expect(source.unlikely.allSatisfy { list.cell(at: $0) == nil })
  }

  @Test func announcedRowsStayWithinTheList() {
    list.scrollToRow(99, at: .bottom)
    #expect(source.likely.allSatisfy { $0 < 100 })
    source.likely = []

    list.contentOffset.y = 50

    #expect(source.likely.allSatisfy { $0 >= 0 })
  }

  @Test func reloadingCancelsAllAnnouncedRows() {
    source.count = 3
    list.reloadData()
    test.draw()

    #expect(source.unlikely == [6, 7, 8, 9, 10, 11])
  }

  @Test func emptyListAnnouncesNoRows() {
    var ahead = RowsAhead()

    #expect(ahead.move(from: 0..<0, to: 0..<0, count: 0) == RowsAhead.RowChanges())
    #expect(ahead.reset() == RowsAhead.RowChanges())
    #expect(ahead.move(from: 0..<0, to: 0..<4, count: 5) == RowsAhead.RowChanges(likely: [4]))
    #expect(ahead.move(from: 0..<4, to: 0..<0, count: 0) == RowsAhead.RowChanges(unlikely: [4]))
  }
}
