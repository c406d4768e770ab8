import Testing
import Vitrine
import VitrineTesting

@testable import VitrineDemo

/// The sizes of the tiles of the grid.
@Suite(.timeLimit(.minutes(5)))
struct GridTileTests {
  @Test(
    arguments: [
      (320.0, Size(width: 148, height: 111)), (344, Size(width: 160, height: 120)),
      (400, Size(width: 188, height: 141)), (480, Size(width: 149, height: 112)),
      (679, Size(width: 159, height: 119)), (680, GridTile.standard), (1280, GridTile.standard),
    ] as [(Double, Size)])
  func tilesFillANarrowGrid(width: Double, tile: Size) {
    #expect(GridTile.size(inWidth: width, gap: 8) == tile)
  }

  @Test(arguments: [0.0, 8, 40])
  func marginsOfANarrowGridAreAsWideAsTheGap(gap: Double) {
    for width in stride(from: 160 + 2 * gap, to: 4 * (160 + gap) + gap, by: 1) {
      let tile = GridTile.size(inWidth: width, gap: gap)
      let columns = ((width - gap) / (tile.width + gap)).rounded(.down)
      let rest = width - columns * (tile.width + gap) - gap
      #expect(rest >= 0 && rest < columns, "\(width)")
      #expect(tile.width > 100 && tile.width < 260, "\(width)")
      #expect(abs(tile.height - tile.width * 0.75) <= 0.5)
    }
  }

  @Test(arguments: [0.0, -10, .nan, .infinity, 5])
  func gridWithoutRoomForATileHasTheStandardSize(width: Double) {
    #expect(GridTile.size(inWidth: width, gap: 8) == GridTile.standard)
  }

  @Test func tileOfATinyGridFillsIt() {
    #expect(GridTile.size(inWidth: 64, gap: 8) == Size(width: 48, height: 36))
    #expect(GridTile.size(inWidth: 9, gap: 8) == Size(width: 1, height: 1))
  }

  @MainActor
  private func frames(inWidth width: Double, tile: Size?) -> [Rect] {
    let items = Feed.Items((0..<9).map { Feed.Item(url: "http://a.test/\($0)") })
    let screen = GridScreen(items: items, tile: tile, gap: 8, failure: nil, prefetcher: nil)
    let test = TestWindow(size: Size(width: width, height: 300))
    test.window.rootView = screen
    test.draw()
    return (0..<3).compactMap { screen.list.cell(at: $0)?.frameInWindow }
  }

  @Test @MainActor func gridHasEqualMarginsInAPortraitWindow() {
    #expect(
      frames(inWidth: 480, tile: nil) == [
        Rect(x: 8, y: 8, width: 149, height: 112), Rect(x: 165, y: 8, width: 149, height: 112),
        Rect(x: 322, y: 8, width: 149, height: 112),
      ])
  }

  @Test @MainActor func tileOfTheCommandLineKeepsItsSize() {
    #expect(
      frames(inWidth: 480, tile: Size(width: 160, height: 120)).map(\.size)
        == Array(repeating: Size(width: 160, height: 120), count: 3))
  }
}
