import Vitrine

/// Pictures and nothing else, in as many columns as there is room for.
final class GridScreen: FeedScreen {
  init(feed: Feed, tile: Size, gap: Double, failure: Image?) {
    super.init(feed, layout: .tiles(tile, gap: gap), cell: TileCell.self, failure: failure)
    list.contentInsets = Insets(top: gap, bottom: gap)
  }
}
