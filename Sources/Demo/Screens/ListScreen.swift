import Vitrine

/// A list of pictures with two lines of text each.
final class ListScreen: View, Screen {
  private let list = ListView()
  private let feed: Feed
  private let failure: Image?
  private var selected: Set<Int> = []

  init(feed: Feed, failure: Image?) {
    self.feed = feed
    self.failure = failure
    super.init()
    list.rowHeight = PictureCell.height
    list.dataSource = self
    list.onSelect = { [weak self] row in self?.toggle(row) }
    addSubview(list)
  }

  var scrollView: ScrollView { list }

  func reload() { list.reloadData() }

  override func layoutSubviews() { list.frame = bounds }

  private func toggle(_ row: Int) {
    if selected.remove(row) == nil { selected.insert(row) }
    (list.cell(at: row) as? PictureCell)?.isChosen = selected.contains(row)
  }
}

extension ListScreen: ListViewDataSource {
  func numberOfRows(in list: ListView) -> Int { feed.count }

  func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
    let cell = list.dequeueCell(PictureCell.self)
    cell.show(feed[row], failure: failure)
    cell.isChosen = selected.contains(row)
    return cell
  }
}
