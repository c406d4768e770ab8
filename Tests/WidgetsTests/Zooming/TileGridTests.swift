import Testing
import VitrineGraphics

@testable import VitrineWidgets

/// The places of the tiles of a large image.
@Suite(.timeLimit(.minutes(5)))
struct TileGridTests {
  private let grid = TileGrid(
    layout: RegionLayout(sourceWidth: 6000, sourceHeight: 4000, isMirrored: false, isFlipped: false))
  private let view = Rect(x: 0, y: 0, width: 400, height: 200)

  @Test(arguments: [
    (0.05, 8), (0.137, 8), (0.14, 4), (0.2, 4), (0.28, 2), (0.55, 2), (0.56, 1), (1, 1), (8, 1),
  ])
  func reductionHasAtLeastThePixelsOfTheScreen(scale: Double, reduction: Int) {
    #expect(TileGrid.reduction(for: scale, current: nil) == reduction)
  }

  @Test func reductionStaysWhileItServesTheScale() {
    #expect(TileGrid.reduction(for: 0.13, current: 4) == 4)
    #expect(TileGrid.reduction(for: 0.11, current: 4) == 8)
    #expect(TileGrid.reduction(for: 0.27, current: 4) == 4)
    #expect(TileGrid.reduction(for: 0.28, current: 4) == 2)
    #expect(TileGrid.reduction(for: 5, current: 1) == 1)
  }

  @Test func tilesNearestToTheCenterComeFirst() {
    let frame = Rect(x: -400, y: -300, width: 1200, height: 800)

    let tiles = grid.tiles(in: view, of: frame, reducedBy: 4)

    // 1500 x 1000 pixels, of which 500 to 1000 and 375 to 625 are visible.
    #expect(tiles.first == Tile(reduction: 4, column: 2, row: 1))
    #expect(
      Set(tiles)
        == Set((1...3).flatMap { column in (1...2).map { Tile(reduction: 4, column: column, row: $0) } }))
    #expect(grid.tiles(in: view, of: frame, reducedBy: 4, margin: 1).count == 5 * 4)
  }

  @Test func tilesCoverTheVisiblePartOfAnyImage() {
    for (width, height) in [(6000, 4000), (1, 1), (30_000, 2), (257, 4097)] {
      for isMirrored in [false, true] {
        let grid = TileGrid(
          layout: RegionLayout(
            sourceWidth: width, sourceHeight: height, isMirrored: isMirrored, isFlipped: isMirrored))
        for reduction in ImageRegion.reductions {
          let frame = Rect(x: -130, y: -70, width: 600, height: 600 * Double(height) / Double(width))
          let visible = view.intersection(frame)
          var area = 0.0
          for tile in grid.tiles(in: view, of: frame, reducedBy: reduction) {
            #expect(grid.layout.contains(grid.region(of: tile)))
            let rect = grid.rect(of: tile, in: frame).intersection(visible)
            area += rect.width * rect.height
          }
          #expect(abs(area - visible.width * visible.height) < 0.01, "\(width)x\(height) by \(reduction)")
        }
      }
    }
  }

  @Test func nothingIsNeededOutsideOfTheImage() {
    let frame = Rect(x: 500, y: 0, width: 1200, height: 800)
    #expect(grid.tiles(in: view, of: frame, reducedBy: 4).isEmpty)
    #expect(grid.tiles(in: view, of: Rect.zero, reducedBy: 4).isEmpty)
  }

  @Test func tileHasPixelsOfItsNeighbors() {
    #expect(
      grid.region(of: Tile(reduction: 4, column: 1, row: 0))
        == ImageRegion(reduction: 4, x: 254, y: 0, width: 260, height: 258))
    #expect(
      grid.region(of: Tile(reduction: 4, column: 5, row: 3))
        == ImageRegion(reduction: 4, x: 1278, y: 766, width: 222, height: 234))
  }

  @Test func neighborsShowTheSamePixelsAtTheirEdge() {
    let frame = Rect(x: -400, y: -300, width: 1200, height: 800)
    let (left, right) = (Tile(reduction: 4, column: 1, row: 1), Tile(reduction: 4, column: 2, row: 1))
    let (first, second) = (grid.rect(of: left, in: frame), grid.rect(of: right, in: frame))
    #expect(abs(first.maxX - second.minX) < 1e-9)

    let source = grid.source(first, of: left, in: frame)
    let next = grid.source(second, of: right, in: frame)
    let edges: [Double] = [
      source.maxX + Double(grid.region(of: left).x), next.minX + Double(grid.region(of: right).x),
    ]
    #expect(abs(edges[0] - edges[1]) < 1e-6)
    #expect(abs(source.minX - 2) < 1e-6)
  }

  @Test func lastColumnOfAMirroredImageIsShownFirst() {
    // 10 pixels by 8: a column of 8 and one of 2, which is shown first.
    let grid = TileGrid(
      layout: RegionLayout(sourceWidth: 10, sourceHeight: 8, isMirrored: true, isFlipped: false))
    let frame = Rect(x: 0, y: 0, width: 100, height: 80)
    let tile = Tile(reduction: 8, column: 0, row: 0)

    #expect(grid.rect(of: tile, in: frame) == frame)
    let source = grid.source(frame, of: tile, in: frame)
    #expect(abs(source.minX - 0.75) < 1e-9 && abs(source.maxX - 2) < 1e-9)
  }
}

/// The tiles that are there, loading and needed.
@Suite(.timeLimit(.minutes(5)))
struct TileStoreTests {
  private func tile(_ column: Int, reduction: Int = 4) -> Tile {
    Tile(reduction: reduction, column: column, row: 0)
  }

  private let image = Image(Bitmap(width: 1, height: 1, color: .black))

  @Test func tilesThatAreNotThereAreLoadedOnce() {
    var store = TileStore()
    #expect(store.need([tile(1), tile(2)], keeping: []).load == [tile(1), tile(2)])
    #expect(!store.isComplete)
    store.loaded(tile(1), image)
    #expect(store.need([tile(1), tile(2), tile(3)], keeping: []) == .init(load: [tile(3)], cancel: []))
    store.loaded(tile(2), image)
    store.loaded(tile(3), image)
    #expect(store.isComplete)
  }

  @Test func loadsThatAreNotNeededAreCancelledAndTheirResultsAreIgnored() {
    var store = TileStore()
    _ = store.need([tile(1), tile(2)], keeping: [])
    #expect(store.need([tile(2)], keeping: [tile(1)]).cancel == [tile(1)])
    store.loaded(tile(1), image)
    #expect(store.images.isEmpty)
  }

  @Test func tilesNearbyStayAndOthersAreReleased() {
    var store = TileStore()
    _ = store.need([tile(1), tile(2)], keeping: [])
    store.loaded(tile(1), image)
    store.loaded(tile(2), image)
    _ = store.need([tile(3)], keeping: [tile(2)])
    #expect(Set(store.images.keys) == [tile(2)])
    store.releaseUnneeded()
    #expect(store.images.isEmpty)
  }

  @Test func tilesOfAnotherScaleStayUntilAllNeededOnesAreThere() {
    var store = TileStore()
    _ = store.need([tile(1)], keeping: [])
    store.loaded(tile(1), image)
    _ = store.need([tile(1, reduction: 2), tile(2, reduction: 2)], keeping: [])
    store.loaded(tile(1, reduction: 2), image)
    #expect(store.images[tile(1)] != nil)
    store.loaded(tile(2, reduction: 2), image)
    #expect(store.images[tile(1)] == nil)
    #expect(store.images.count == 2)
  }

  @Test func failedTileIsNotLoadedAgain() {
    var store = TileStore()
    _ = store.need([tile(1)], keeping: [])
    store.loaded(tile(1), nil)
    #expect(store.isComplete)
    #expect(store.need([tile(1)], keeping: []).load.isEmpty)
    _ = store.removeAll()
    #expect(store.need([tile(1)], keeping: []).load == [tile(1)])
  }

  @Test func nothingStaysIfNothingIsNeeded() {
    var store = TileStore()
    _ = store.need([tile(1), tile(2)], keeping: [])
    store.loaded(tile(1), image)
    #expect(store.need([], keeping: []).cancel == [tile(2)])
    #expect(store.images.isEmpty)
  }
}
