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

extension Screen {
  func refresh() { reload() }
}
