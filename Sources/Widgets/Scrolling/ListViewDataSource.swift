/// The provider of a `ListView`'s cells.
@MainActor
public protocol ListViewDataSource: AnyObject {
  /// Returns the number of rows. Called once for each `reloadData()` and `apply(_:update:)`.
  func numberOfRows(in listView: ListView) -> Int

  /// Returns the cell for a row that comes near the screen: a cell from `ListView.dequeueCell` with all its content
  /// set.
  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell
}
