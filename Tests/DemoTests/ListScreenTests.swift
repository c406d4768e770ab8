import Testing
import Vitrine
import VitrineTesting
import VitrineWidgets

@testable import VitrineDemo

/// The list in windows of several sizes.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ListScreenTests {
  private let screen = ListScreen(
    items: Feed.Items(count: 100) { Feed.Item(url: "http://list.test/\($0)", title: "Row \($0)") },
    failure: nil, prefetcher: nil)

  private func window(_ width: Double, _ height: Double) -> TestWindow {
    let test = TestWindow(size: Size(width: width, height: height))
    test.window.rootView = screen
    test.draw()
    return test
  }

  private func cell(_ row: Int) -> FeedCell? { screen.list.cell(at: row) as? FeedCell }

  @Test(arguments: [
    (64.0, 64.0, 1, ImageRow.small), (320, 240, 1, .small), (480, 800, 1, .medium), (895, 600, 1, .medium),
    (896, 600, 2, .medium), (1280, 704, 2, .medium), (1280, 200, 2, .small), (1366, 672, 2, .large),
    (1920, 984, 2, .huge), (3840, 2160, 4, .huge),
  ])
  func listUsesTheWidthOfTheWindow(width: Double, height: Double, columns: Int, row: ImageRow) throws {
    let test = window(width, height)
    defer { test.window.rootView = nil }

    let frames = try (0..<columns + 1).map { try #require(cell($0)).frame }
    #expect(frames.map(\.height) == Array(repeating: row.height, count: columns + 1))
    #expect(frames.dropLast().map(\.minY) == Array(repeating: 0, count: columns))
    #expect(frames.last?.minY == row.height)
    #expect(frames[columns - 1].maxX <= width && frames[columns - 1].maxX > width - Double(columns))
    #expect(cell(0)?.image.frame.size == row.imageSize)
  }

  @Test func keysMoveTheFocusAcrossColumns() {
    let test = window(1280, 704)
    defer { test.window.rootView = nil }
    test.key(.tab)

    var rows: [Int?] = [screen.list.selectedRow]
    for key in [Key.right, .down, .left, .up, .down, .right, .right] {
      test.key(key)
      test.draw()
      rows.append(screen.list.selectedRow)
    }

    #expect(rows == [0, 1, 3, 2, 0, 2, 3, 4])
    #expect(cell(4)?.hasCursor == true)
  }

  @Test func tapOpensAndLongPressSelectsInTheSecondColumn() {
    let test = window(1280, 704)
    defer { test.window.rootView = nil }
    var opened: [Int] = []
    screen.onOpen = { opened.append($0) }

    test.tap(at: Point(x: 960, y: 72))
    test.tap(at: Point(x: 960, y: 216), holding: 0.6)

    #expect(opened == [1])
    #expect(cell(3)?.isChosen == true)
    #expect(cell(2)?.isChosen == false)
  }

  @Test func rowsInAnotherWidthKeepTheirSelectionAndTheFirstRow() {
    let test = TestWindow(size: Size(width: 1280, height: 704))
    test.window.addSubview(screen)
    screen.frame = Rect(x: 0, y: 0, width: 400, height: 300)
    test.draw()
    screen.list.contentOffset.y = 20 * ImageRow.small.height
    test.draw()
    test.tap(at: Point(x: 200, y: 10), holding: 0.6)
    #expect(cell(20)?.isChosen == true)

    screen.frame = Rect(x: 0, y: 0, width: 1280, height: 704)
    test.draw()

    #expect(screen.list.visibleRows.first == 20)
    #expect(cell(20)?.isChosen == true)
    #expect(cell(20)?.image.frame.size == ImageRow.medium.imageSize)
    screen.removeFromSuperview()
  }

  private final class StoredCell: FeedCell {
    override var status: ImageStatus { .stored(StoredAge(seconds: 90), .unreachable) }
  }

  @Test func timerOfAgesRunsOnlyWhileARowShowsAnAge() throws {
    let screen = ListScreen(items: Feed.Items([]), failure: nil, prefetcher: nil)
    let test = TestWindow()
    test.window.rootView = screen
    test.draw()
    #expect(test.window.nextDeadline == nil)

    screen.statusDidChange(of: StoredCell())
    #expect(try abs(#require(test.window.nextDeadline) - test.now - 60) < 0.1)
    test.advance(by: 61)

    // No row of the list shows an age.
    #expect(test.window.nextDeadline == nil)
    screen.statusDidChange(of: StoredCell())
    test.window.rootView = View()
    test.draw()
    #expect(test.window.nextDeadline == nil)
  }
}
