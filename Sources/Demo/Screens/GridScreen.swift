import Vitrine

/// A grid of images without text, with as many columns as fit.
final class GridScreen: FeedScreen {
  init(items: Feed.Items, tile: Size, gap: Double, failure: Image?, prefetcher: ImagePrefetcher?) {
    super.init(
      items, layout: .tiles(tile, gap: gap), cell: TileCell.self, imageSize: tile, failure: failure,
      prefetcher: prefetcher)
    list.contentInsets = Insets(top: gap, bottom: gap)
  }
}
