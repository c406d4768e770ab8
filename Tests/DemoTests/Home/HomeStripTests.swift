import Testing
import Vitrine
import VitrineTesting
import VitrineWidgets

@testable import VitrineDemo

/// The strip of the home screen, in a window of the test. Tiles are 120 points wide, with gaps of 10 points.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct HomeStripTests {
  private let test = TestWindow(size: Size(width: 400, height: 300))

  private func items(_ count: Int) -> [Feed.Item] {
    (0..<count).map { Feed.Item(url: "http://a.test/\($0)", title: "Image \($0)") }
  }

  private func makeStrip(_ items: Feed.Items) -> HomeStrip {
    let strip = HomeStrip(items: items, failure: nil)
    strip.frame = Rect(x: 0, y: 200, width: 400, height: 100)
    strip.arrange(tile: Size(width: 120, height: 80), gap: 10, margin: 20, padding: 10)
    test.window.addSubview(strip)
    test.draw()
    return strip
  }

  private func tiles(of strip: HomeStrip) -> [HomeTile] { strip.subviews.compactMap { $0 as? HomeTile } }

  private func tile(_ row: Int, of strip: HomeStrip) throws -> HomeTile {
    try #require(tiles(of: strip).first { $0.row == row })
  }

  @Test func stripBeginsAtItsMargin() throws {
    let strip = makeStrip(Feed.Items(items(100)))

    #expect(strip.contentOffset == Point(x: -20, y: -10))
    #expect(try tile(0, of: strip).frameInWindow == Rect(x: 20, y: 210, width: 120, height: 80))
  }

  @Test func stripMovesUnderTheFingerAndATapOpensATile() throws {
    let strip = makeStrip(Feed.Items(items(100)))
    var opened: [Int] = []
    strip.onOpen = { opened.append($0) }

    test.drag(from: Point(x: 350, y: 250), to: Point(x: 50, y: 250), duration: 0.2)
    let dragged = strip.contentOffset.x
    test.advance(by: 5)

    #expect(dragged > 200)
    #expect(strip.contentOffset.x > dragged, "the strip moves on by itself")
    #expect(opened.isEmpty, "a drag opens nothing")
    let window = test.window.bounds
    let tile = try #require(
      tiles(of: strip).first { $0.frameInWindow.minX > 0 && $0.frameInWindow.maxX < window.maxX })
    test.tap(at: tile.frameInWindow.center)
    #expect(opened == [tile.row])
  }

  @Test func longPressSelectsATileAndOpensNothing() throws {
    let old = items(100)
    let strip = makeStrip(Feed.Items(old))
    var opened: [Int] = []
    strip.onOpen = { opened.append($0) }
    let place = try tile(1, of: strip).frameInWindow.center

    test.tap(at: place, holding: 0.6)
    #expect(try tile(1, of: strip).isChosen)
    #expect(try tile(1, of: strip).scriptStates.contains(.selected))
    #expect(try tile(1, of: strip).accessibilityNode.states.contains(.selected))
    #expect(test.texts == ["✓"])
    let new = [Feed.Item(url: "http://a.test/new")] + old
    strip.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.draw()
    #expect(tiles(of: strip).filter(\.isChosen).map(\.row) == [2], "the selection stays with its image")
    test.tap(at: try tile(2, of: strip).frameInWindow.center, holding: 0.6)

    #expect(tiles(of: strip).allSatisfy { !$0.isChosen })
    #expect(opened.isEmpty)
  }

  @Test(arguments: [KeyModifiers.shift, .control])
  func enterWithAModifierSelectsTheTileAtTheCursor(modifiers: KeyModifiers) throws {
    let strip = makeStrip(Feed.Items(items(100)))
    var opened: [Int] = []
    strip.onOpen = { opened.append($0) }
    test.window.focus(strip)
    test.key(.right)

    test.key(.enter, modifiers: modifiers)
    #expect(tiles(of: strip).filter(\.isChosen).map(\.row) == [1])
    strip.contentOffset.x = 5000
    test.draw()
    #expect(tiles(of: strip).allSatisfy { !$0.isChosen }, "tiles are used again")
    strip.contentOffset.x = 0
    test.draw()

    #expect(tiles(of: strip).filter(\.isChosen).map(\.row) == [1])
    #expect(opened.isEmpty)
  }

  @Test func wheelOfOneDirectionMovesTheStrip() {
    let strip = makeStrip(Feed.Items(items(100)))

    test.wheel(at: Point(x: 200, y: 250), steps: -1)
    test.advance(by: 1)

    #expect(strip.contentOffset.x == 60)
  }

  @Test func onlyTilesNearTheScreenExist() {
    let strip = makeStrip(Feed.Items(count: 10_000) { Feed.Item(url: "http://a.test/\($0)") })
    #expect(tiles(of: strip).map(\.row) == Array(0..<5))

    strip.contentOffset.x = 500_000
    test.draw()

    #expect(Set(tiles(of: strip).map(\.row)) == Set(3844..<3852))
  }

  @Test func arrowKeysMoveTheCursorAndEnterOpens() throws {
    let strip = makeStrip(Feed.Items(items(100)))
    var opened: [Int] = []
    strip.onOpen = { opened.append($0) }
    test.window.focus(strip)
    #expect(strip.cursor == 0)
    #expect(try tile(0, of: strip).hasCursor)

    test.key(.right)
    #expect(strip.cursor == 1)
    test.key(.left)
    test.key(.left)
    #expect(strip.cursor == 0)
    test.key(.pageDown)
    #expect(strip.cursor == 3)
    test.key(.end)
    test.advance(by: 1)
    test.key(.enter)

    #expect(opened == [99])
    #expect(strip.heroTile(of: 99) != nil, "the strip follows the cursor")
    #expect(try tile(99, of: strip).hasCursor)
  }

  /// Shows other items in place of the old ones.
  private func show(_ new: [Feed.Item], after old: [Feed.Item], in strip: HomeStrip) {
    strip.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.draw()
  }

  @Test(arguments: [0, 1, 2])
  func cursorPassesFromARemovedTileToTheNextOne(row: Int) throws {
    let old = items(3)
    var new = old
    new.remove(at: row)
    let strip = makeStrip(Feed.Items(old))
    var opened: [Int] = []
    strip.onOpen = { opened.append($0) }
    test.window.focus(strip)
    for _ in 0..<row { test.key(.right) }

    show(new, after: old, in: strip)
    let place = min(row, 1)
    #expect(strip.cursor == place)
    #expect(try tile(place, of: strip).hasCursor)
    test.key(.enter)
    test.key(place == 0 ? .right : .left)

    #expect(opened == [place])
    #expect(strip.cursor == 1 - place)
  }

  @Test func cursorAndSelectionStayWithAFileThatIsOverwritten() throws {
    let old = (0..<3).map { Feed.Item(url: "file:///none/\($0).jpg?a") }
    var new = old
    new[2].url = "file:///none/2.jpg?b"
    let strip = makeStrip(Feed.Items(old))
    test.window.focus(strip)
    test.key(.end)
    test.key(.enter, modifiers: .shift)
    strip.hideImage(of: 2)

    show(new, after: old, in: strip)

    #expect(strip.cursor == 2)
    let tile = try tile(2, of: strip)
    #expect(tile.hasCursor && tile.isChosen && tile.isOpen)
  }

  @Test func keyPlacesTheCursorAfterAFeedWasEmpty() throws {
    let old = items(3)
    let strip = makeStrip(Feed.Items(old))
    var opened: [Int] = []
    strip.onOpen = { opened.append($0) }
    test.window.focus(strip)
    test.key(.right)
    show([], after: old, in: strip)
    #expect(strip.cursor == nil)
    _ = strip.keyDown(.enter, modifiers: [])
    #expect(opened.isEmpty)

    show(old, after: [], in: strip)
    test.key(.enter)

    #expect(opened == [0])
    #expect(try tile(0, of: strip).hasCursor)
  }

  @Test(arguments: [Key.left, .right])
  func arrowAtTheEndBringsTheCursorBackIntoView(key: Key) {
    let strip = makeStrip(Feed.Items(items(100)))
    let row = key == .left ? 0 : 99
    test.window.focus(strip)
    test.key(key == .left ? .home : .end)
    test.advance(by: 1)
    strip.contentOffset.x = 5000
    test.draw()
    #expect(strip.heroTile(of: row) == nil)

    #expect(strip.keyDown(key, modifiers: []))
    test.advance(by: 1)

    #expect(strip.cursor == row)
    #expect(strip.heroTile(of: row) != nil)
    #expect(!strip.keyDown(key, modifiers: []), "the key is for the views beside the strip")
  }

  @Test func stripFollowsTheShownImageUnlessTheUserHasMovedIt() throws {
    let strip = makeStrip(Feed.Items(items(100)))
    strip.setCurrentRow(0)
    #expect(try tile(0, of: strip).isSelected)

    strip.setCurrentRow(3)
    test.advance(by: 1)

    #expect(try tile(3, of: strip).isSelected)
    #expect(try tile(3, of: strip).frameInWindow.maxX < 400)
    strip.contentOffset.x = 5000
    strip.setCurrentRow(4)
    test.advance(by: 1)
    #expect(strip.contentOffset.x == 5000)
  }

  @Test func tilesThatStayKeepTheirPlace() throws {
    let old = items(100)
    let new = [Feed.Item(url: "http://a.test/new", title: "New")] + old
    let strip = makeStrip(Feed.Items(old))
    strip.contentOffset.x = 1300
    strip.setCurrentRow(11)
    test.draw()
    let kept = try tile(11, of: strip)
    let frame = kept.frameInWindow

    strip.show(Feed.Items(new), ListChanges(from: old.map(\.url), to: new.map(\.url)))
    test.draw()

    #expect(strip.contentOffset.x == 1430)
    #expect(try tile(12, of: strip) === kept)
    #expect(kept.frameInWindow == frame)
    #expect(kept.isSelected)
    strip.show(Feed.Items([]), ListChanges(replacing: 101, by: 0))
    test.draw()
    #expect(tiles(of: strip).isEmpty)
    #expect(!strip.canBecomeFocused)
  }
}
