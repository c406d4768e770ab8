/// Hears which rows of a list are likely to come soon, to load what they will show (`UITableViewDataSourcePrefetching`).
public protocol ListViewPrefetching: AnyObject {
  /// Rows beyond those that have cells, in the direction of scrolling, nearest first; each once, unless it was taken back. A
  /// row may come without this.
  func listView(_ listView: ListView, prefetchRows rows: [Int])

  /// Rows of those that are no longer likely, in order; one that has got its cell is never among them.
  func listView(_ listView: ListView, cancelPrefetchingForRows rows: [Int])
}

extension ListViewPrefetching {
  /// Nothing.
  public func listView(_ listView: ListView, cancelPrefetchingForRows rows: [Int]) {}
}
