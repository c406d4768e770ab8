import Testing
import VitrineGraphics
import VitrineWidgets

/// The arithmetic of rows and tiles, without a view.
struct ListArrangementTests {
  private func tiles(
    _ count: Int, width: Double = 400, size: Size = Size(width: 100, height: 50), gap: Double = 10
  ) -> ListArrangement {
    ListArrangement(.tiles(size, gap: gap), count: count, width: width)
  }

  @Test func columnCountIsTheNumberOfTilesThatFit() {
    // 3 x 100 and 2 gaps are 320, 4 x 100 and 3 gaps 430.
    #expect(tiles(10).columns == 3)
    #expect(tiles(10, width: 429).columns == 3)
    #expect(tiles(10, width: 430).columns == 4)
    #expect(tiles(10, width: 400, gap: 0).columns == 4)
  }

  @Test func tilesKeepTheirSizeAndAreCentered() {
    #expect(tiles(10).frame(of: 0) == Rect(x: 40, y: 0, width: 100, height: 50))
    #expect(tiles(10).frame(of: 2) == Rect(x: 260, y: 0, width: 100, height: 50))
    #expect(tiles(10).frame(of: 3) == Rect(x: 40, y: 60, width: 100, height: 50))
    // Margins are whole points.
    #expect(tiles(10, width: 401).frame(of: 0).minX == 40)
  }

  @Test func framesExtendBeyondTheEnds() {
    #expect(tiles(10).frame(of: -1) == Rect(x: 260, y: -60, width: 100, height: 50))
    #expect(tiles(10).frame(of: -3) == Rect(x: 40, y: -60, width: 100, height: 50))
    #expect(tiles(10).frame(of: -4) == Rect(x: 260, y: -120, width: 100, height: 50))
    #expect(tiles(10).frame(of: 11) == Rect(x: 260, y: 180, width: 100, height: 50))
  }

  @Test func incompleteLastLineBeginsAtTheLeft() {
    let arrangement = tiles(10)

    #expect(arrangement.lines == 4)
    #expect(arrangement.frame(of: 9) == Rect(x: 40, y: 180, width: 100, height: 50))
    #expect(arrangement.contentSize == Size(width: 400, height: 230))
    #expect(arrangement.items(from: 170, to: 240) == 9..<10)
    #expect(arrangement.item(at: Point(x: 50, y: 190)) == 9)
    #expect(arrangement.item(at: Point(x: 160, y: 190)) == nil)
  }

  @Test func gapsAndMarginsBelongToNoTile() {
    let arrangement = tiles(10)

    #expect(arrangement.item(at: Point(x: 39, y: 0)) == nil)
    #expect(arrangement.item(at: Point(x: 40, y: 0)) == 0)
    #expect(arrangement.item(at: Point(x: 145, y: 0)) == nil)
    #expect(arrangement.item(at: Point(x: 150, y: 0)) == 1)
    #expect(arrangement.item(at: Point(x: 360, y: 0)) == nil)
    #expect(arrangement.item(at: Point(x: 50, y: 55)) == nil)
    #expect(arrangement.item(at: Point(x: 50, y: -1)) == nil)
    #expect(arrangement.item(at: Point(x: 50, y: 240)) == nil)
  }

  @Test func partlyVisibleLinesAreIncluded() {
    let arrangement = tiles(30)

    #expect(arrangement.items(from: 0, to: 60) == 0..<3)
    #expect(arrangement.items(from: 49, to: 61) == 0..<6)
    // The range begins within the gap below the first line.
    #expect(arrangement.items(from: 50, to: 61) == 3..<6)
    #expect(arrangement.items(from: 120, to: 130, margin: 1) == 3..<12)
    #expect(arrangement.items(from: -500, to: 10) == 0..<3)
    #expect(arrangement.items(from: 5000, to: 5100).isEmpty)
    #expect(arrangement.items(from: 10, to: 10).isEmpty)
  }

  @Test(arguments: [0.0, -5, 1, 99, .nan])
  func tileWiderThanTheListIsAColumn(width: Double) {
    let arrangement = tiles(3, width: width)

    #expect(arrangement.columns == 1)
    #expect(arrangement.frame(of: 1) == Rect(x: 0, y: 60, width: 100, height: 50))
    // The whole tile can be scrolled to.
    #expect(arrangement.contentSize == Size(width: 100, height: 170))
  }

  @Test func emptyAndSingleItemArrangementsAreValid() {
    #expect(tiles(0).lines == 0)
    #expect(tiles(0).contentSize == Size(width: 400, height: 0))
    #expect(tiles(0).items(from: 0, to: 100).isEmpty)
    #expect(tiles(0).item(at: Point(x: 50, y: 10)) == nil)
    #expect(tiles(0).item(after: .next, from: nil) == nil)
    #expect(tiles(-3).count == 0)

    #expect(tiles(1).contentSize == Size(width: 400, height: 50))
    #expect(tiles(1).items(from: 0, to: 100) == 0..<1)
    #expect(tiles(1).frame(of: 0).minX == 40)
    for step in [ListArrangement.Step.previous, .next, .up, .down, .first, .last, .pageDown(lines: 3)] {
      #expect(tiles(1).item(after: step, from: 0) == 0)
    }
  }

  @Test(arguments: [1_000_000, 1 << 53, Int.max - 1, Int.max])
  func hugeCountsDoNotOverflow(count: Int) {
    let arrangement = tiles(count)
    let last = count - 1
    let height = arrangement.contentSize.height

    #expect(height.isFinite && height > 1e6)
    #expect(arrangement.frame(of: last).maxY <= height * 1.000001)
    #expect(arrangement.items(from: 0, to: 100, margin: 2) == 0..<12)
    #expect(arrangement.items(from: height * 2, to: height * 3, margin: 2).upperBound <= count)
    _ = arrangement.item(at: Point(x: 50, y: height - 1))
    for step in [ListArrangement.Step.next, .down, .last, .pageDown(lines: .max)] {
      #expect(arrangement.item(after: step, from: last) == last)
    }
    #expect(arrangement.item(after: .pageUp(lines: .max), from: last) == last % 3)
    #expect(ListArrangement(.rows(height: 1), count: count, width: 0).items(from: 1e300, to: 2e300).isEmpty)
  }

  @Test func lastOfAMillionTilesIsFound() {
    let arrangement = tiles(1_000_000)
    let height = arrangement.contentSize.height

    #expect(height == 333_334 * 60 - 10)
    #expect(arrangement.items(from: height - 100, to: height) == 999_996..<1_000_000)
    #expect(arrangement.item(at: Point(x: 50, y: height - 1)) == 999_999)
  }

  @Test func sizesAndGapsAreClamped() {
    #expect(ListLayout.rows(height: -3).height == 1)
    #expect(ListLayout.rows(height: .nan).height == 1)
    #expect(ListLayout.tiles(.zero, gap: -1) == .tiles(Size(width: 1, height: 1), gap: 0))
    #expect(ListLayout.tiles(Size(width: 9, height: 9), gap: .nan).gap == 0)
    let layout = ListLayout.tiles(Size(width: Double.infinity, height: .infinity), gap: .infinity)
    #expect(ListArrangement(layout, count: 10, width: .infinity).contentSize.height.isFinite)
  }

  @Test func rowsFillTheAvailableWidth() {
    let arrangement = ListArrangement(.rows(height: 50), count: 100, width: 200)

    #expect(arrangement.columns == 1)
    #expect(arrangement.frame(of: 3) == Rect(x: 0, y: 150, width: 200, height: 50))
    #expect(arrangement.frame(of: -1).minY == -50)
    #expect(arrangement.items(from: 80, to: 280) == 1..<6)
    #expect(arrangement.item(at: Point(x: -10, y: 149)) == 2)
    #expect(arrangement.contentSize == Size(width: 200, height: 5000))
  }

  private func sideBySide(_ count: Int, width: Double) -> ListArrangement {
    ListArrangement(.rows(height: 50, minimumWidth: 100, gap: 10), count: count, width: width)
  }

  @Test func rowsSideBySideShareTheWholeWidth() {
    let arrangement = sideBySide(10, width: 331)

    // Three rows of 103 points with two gaps; two points are left.
    #expect(arrangement.columns == 3)
    #expect(arrangement.frame(of: 0) == Rect(x: 1, y: 0, width: 103, height: 50))
    #expect(arrangement.frame(of: 2) == Rect(x: 227, y: 0, width: 103, height: 50))
    #expect(arrangement.frame(of: 3) == Rect(x: 1, y: 60, width: 103, height: 50))
    #expect(arrangement.contentSize == Size(width: 331, height: 230))
    #expect(arrangement.item(at: Point(x: 120, y: 70)) == 4)
    #expect(arrangement.item(at: Point(x: 109, y: 70)) == nil)
    #expect(arrangement.item(at: Point(x: 120, y: 190)) == nil)
    #expect(arrangement.item(after: .down, from: 1) == 4)
    #expect(arrangement.item(after: .next, from: 2) == 3)
  }

  @Test(arguments: [0.0, -5, 1, 99, 209, .nan])
  func rowsSideBySideHaveTheirOwnLineInANarrowList(width: Double) {
    let arrangement = sideBySide(3, width: width)
    let used = width > 0 ? width : 0

    #expect(arrangement.columns == 1)
    #expect(arrangement.frame(of: 1) == Rect(x: 0, y: 60, width: used, height: 50))
    #expect(arrangement.contentSize == Size(width: used, height: 170))
  }

  @Test func columnsBeginAtTheMinimumWidth() {
    #expect(sideBySide(10, width: 209.9).columns == 1)
    #expect(sideBySide(10, width: 210).columns == 2)
    #expect(sideBySide(10, width: 210).frame(of: 1) == Rect(x: 110, y: 0, width: 100, height: 50))
    #expect(sideBySide(10, width: 319).columns == 2)
    #expect(sideBySide(10, width: 320).columns == 3)
  }

  @Test func widthsOfRowsSideBySideAreClamped() {
    #expect(ListLayout.rows(height: 50, minimumWidth: -4) == .rows(height: 50, minimumWidth: 1))
    #expect(ListLayout.rows(height: .nan, minimumWidth: .nan, gap: .nan) == .rows(height: 1, minimumWidth: 1))
    let layout = ListLayout.rows(height: .infinity, minimumWidth: .infinity, gap: .infinity)
    #expect(ListArrangement(layout, count: 10, width: .infinity).contentSize.height.isFinite)
  }

  // 0 1 2
  // 3 4 5
  // 6 7
  @Test(arguments: [
    (0, ListArrangement.Step.previous, 0), (3, .previous, 2), (2, .next, 3), (7, .next, 7), (1, .up, 1),
    (4, .up, 1), (1, .down, 4), (4, .down, 7), (5, .down, 7), (6, .down, 6), (7, .up, 4), (7, .first, 0),
    (0, .last, 7), (1, .pageDown(lines: 1), 4), (2, .pageDown(lines: 9), 7), (7, .pageUp(lines: 2), 1),
    (5, .pageUp(lines: 0), 2),
  ])
  func stepMovesToTheExpectedItem(from: Int, step: ListArrangement.Step, to: Int) {
    #expect(tiles(8).item(after: step, from: from) == to)
  }

  @Test func stepWithoutACurrentItemStartsAtAnEnd() {
    #expect(tiles(8).item(after: .down, from: nil) == 0)
    #expect(tiles(8).item(after: .previous, from: nil) == 7)
    #expect(tiles(8).item(after: .next, from: 99) == 7)
  }
}
