import Vitrine

/// A page of the demo, shown between the header and the status line.
protocol Screen: View {
  /// Loads the images of the screen again, for example after the cache has been cleared.
  func reload()
  /// Refreshes the screen. Called for F5; on a list, the same as a pull. Other screens show their images again, from
  /// memory.
  func refresh()
}

/// A page that scrolls.
protocol ScrollingScreen: Screen {
  /// The scroll view that handles keys that no other view has handled.
  var scrollView: ScrollView { get }
}

/// A page with images that can be shown over the whole window.
protocol ImageScreen: Screen {
  /// The items of the feed that the page shows.
  var feedItems: Feed.Items { get }
  /// The views that have an image of the feed, also just outside of the screen.
  var images: [any FeedImage] { get }
  /// The views on the screen that show an image of the feed; `nil` if only a slideshow does.
  var visibleImages: [any FeedImage]? { get }
  /// Called with the row of an image that the user wants to open.
  var onOpen: (Int) -> Void { get set }
  /// Shows other items.
  ///
  /// - Parameter changes: The difference from the items before.
  func show(_ items: Feed.Items, _ changes: ListChanges)
  /// Returns the place of a row's image in the window; `nil` for a row that is not on the screen.
  func tile(of row: Int) -> HeroTile?
  /// Scrolls a row onto the screen.
  func reveal(_ row: Int)
  /// Hides the image of one row, and shows that of the row that was hidden before.
  func hideImage(of row: Int?)
  /// Called when the viewer is about to open, and when it has closed.
  func viewerDidChange(isOpen: Bool)
}

extension Screen {
  func refresh() { reload() }
}

extension ImageScreen {
  func viewerDidChange(isOpen: Bool) {}
}
