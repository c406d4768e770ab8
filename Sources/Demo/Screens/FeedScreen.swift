import Vitrine

/// A feed in a list, whatever its layout and its cells.
class FeedScreen: View, Screen {
  let list = ListView()
  private let feed: Feed
  private let failure: Image?
  private let cell: FeedCell.Type
  private var selected: Set<Int> = []

  init(_ feed: Feed, layout: ListLayout, cell: FeedCell.Type, failure: Image?) {
    self.feed = feed
    self.cell = cell
    self.failure = failure
    super.init()
    list.layout = layout
    list.dataSource = self
    list.onSelect = { [weak self] row in self?.toggle(row) }
    addSubview(list)
  }

  var scrollView: ScrollView { list }

  func reload() { list.reloadData() }

  override func layoutSubviews() { list.frame = bounds }

  private func toggle(_ row: Int) {
    if selected.remove(row) == nil { selected.insert(row) }
    (list.cell(at: row) as? FeedCell)?.isChosen = selected.contains(row)
  }
}

extension FeedScreen: ListViewDataSource {
  func numberOfRows(in list: ListView) -> Int { feed.count }

  func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
    let cell = list.dequeueCell(cell)
    cell.show(feed[row], failure: failure)
    cell.isChosen = selected.contains(row)
    return cell
  }
}
