/// What a `ListView` shows.
public protocol ListViewDataSource: AnyObject {
  /// Asked once for each `reloadData()`.
  func numberOfRows(in listView: ListView) -> Int

  /// The cell for a row that comes near the screen: one from `ListView.dequeueCell`, with all its content set.
  func listView(_ listView: ListView, cellForRow row: Int) -> ListCell
}
