import Testing
import VitrineGraphics

@testable import VitrineDemo

/// The frames of the tiles of the strip, and the sizes of the parts of the home screen.
struct HomeLayoutTests {
  private let strip = StripLayout(count: 10, tile: Size(width: 120, height: 80), gap: 10)

  @Test func tilesLieSideBySide() {
    #expect(strip.frame(of: 2) == Rect(x: 260, y: 0, width: 120, height: 80))
    #expect(strip.width == 1290)
    #expect(StripLayout().width == 0)
  }

  @Test func tilesNearTheScreenAreFound() {
    #expect(strip.rows(from: -20, to: 380) == 0..<3)
    #expect(strip.rows(from: 650, to: 780) == 5..<6)
    #expect(strip.rows(from: 650, to: 780, margin: 2) == 3..<8)
    #expect(strip.rows(from: 1200, to: 5000, margin: 2) == 7..<10)
    #expect(strip.rows(from: 100, to: 100).isEmpty)
    #expect(strip.rows(from: .nan, to: 100).isEmpty)
    #expect(strip.rows(from: -.infinity, to: .infinity, margin: 2) == 0..<10)
    #expect(StripLayout().rows(from: 0, to: 100, margin: 2).isEmpty)
  }

  @Test func pageHasTheTilesThatFit() {
    #expect(strip.rowsPerPage(400) == 3)
    #expect(strip.rowsPerPage(60) == 1)
    #expect(strip.rowsPerPage(-.infinity) == 1)
  }

  @Test func neighborsOfATileAreShownInPart() {
    #expect(strip.surroundings(of: 2, in: 400) == Rect(x: 190, y: 0, width: 260, height: 80))
    #expect(strip.surroundings(of: 2, in: 200) == strip.frame(of: 2))
  }

  @Test(arguments: [
    (Size(width: 1280, height: 704), Size(width: 149, height: 99), 32.0, true),
    (Size(width: 480, height: 656), Size(width: 138, height: 92), 24.0, true),
    (Size(width: 320, height: 240), Size(width: 60, height: 40), 14.0, true),
    (Size(width: 320, height: 160), Size(width: 60, height: 40), 14.0, false),
  ])
  func partsBecomeSmallerWithTheScreen(size: Size, tile: Size, title: Double, showsCost: Bool) {
    let layout = HomeLayout(size)

    #expect(layout.tile == tile)
    #expect(layout.titleSize == title)
    #expect(layout.showsCost == showsCost)
    #expect(layout.stripHeight < size.height / 2)
  }

  @Test func tinyScreenBelongsToTheImage() {
    let layout = HomeLayout(Size(width: 64, height: 64))

    #expect(layout.tile == nil)
    #expect(layout.stripHeight == 0)
    #expect(layout.titleSize == nil)
    #expect(!layout.showsCost)
  }
}
