import Vitrine

/// A list of images with two lines of text each.
final class ListScreen: FeedScreen {
  init(items: Feed.Items, failure: Image?, prefetcher: ImagePrefetcher?) {
    super.init(
      items, layout: .rows(height: ImageCell.height), cell: ImageCell.self, imageSize: ImageCell.imageSize,
      failure: failure, prefetcher: prefetcher)
  }
}
