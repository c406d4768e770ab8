import Vitrine

/// A list of images with two lines of text each.
final class ListScreen: FeedScreen {
  init(feed: Feed, failure: Image?) {
    super.init(feed, layout: .rows(height: ImageCell.height), cell: ImageCell.self, failure: failure)
  }
}
