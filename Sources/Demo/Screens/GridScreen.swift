import Vitrine

/// A grid of images without text, with as many columns as fit.
final class GridScreen: FeedScreen {
  /// The size of a tile; `nil` for one that follows from the width.
  private let tile: Size?
  private let gap: Double

  init(items: Feed.Items, tile: Size?, gap: Double, failure: Image?, prefetcher: ImagePrefetcher?) {
    self.tile = tile
    self.gap = gap
    let first = tile ?? GridTile.standard
    super.init(
      items, layout: .tiles(first, gap: gap), cell: TileCell.self, imageSize: first, failure: failure,
      prefetcher: prefetcher)
    list.contentInsets = Insets(top: gap, bottom: gap)
  }

  override func layoutSubviews() {
    let size = tile ?? GridTile.size(inWidth: bounds.width, gap: gap)
    imageSize = size
    list.layout = .tiles(size, gap: gap)
    super.layoutSubviews()
  }
}
