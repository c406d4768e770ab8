import Vitrine

/// A page of the demo, shown between header and status line.
protocol Screen: View {
  /// Loads its pictures again, as after the cache has been cleared.
  func reload()
  /// What F5 does, as a pull on a list.
  func refresh()
  /// Scrolled by keys that nobody else wants.
  var scrollView: ScrollView { get }
}

extension Screen {
  func refresh() { reload() }
}
