/// The receiver of the rows of a list that are likely to appear soon, so that their content can be loaded ahead
/// (UIKit's `UITableViewDataSourcePrefetching`).
@MainActor
public protocol ListViewPrefetching: AnyObject {
  /// Called with rows beyond those that have cells, in the direction of scrolling, nearest first. A row is reported
  /// once, unless it was cancelled since. A row may also appear without a report.
  func listView(_ listView: ListView, prefetchRows rows: [Int])

  /// Called with reported rows that are no longer likely to appear, in ascending order. Rows that have received a cell
  /// are never among them.
  func listView(_ listView: ListView, cancelPrefetchingForRows rows: [Int])
}

extension ListViewPrefetching {
  /// Does nothing.
  public func listView(_ listView: ListView, cancelPrefetchingForRows rows: [Int]) {}
}
