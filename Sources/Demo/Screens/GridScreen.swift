import Vitrine

/// A grid of images without text, with as many columns as fit.
final class GridScreen: FeedScreen {
  init(feed: Feed, tile: Size, gap: Double, failure: Image?) {
    super.init(feed, layout: .tiles(tile, gap: gap), cell: TileCell.self, failure: failure)
    list.contentInsets = Insets(top: gap, bottom: gap)
  }
}
