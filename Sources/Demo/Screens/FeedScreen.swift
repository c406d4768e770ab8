import Vitrine

/// A screen that shows a feed in a list, with the layout and the cell type given by a subclass.
class FeedScreen: View, Screen {
  let list = ListView()
  private var feed: Feed
  private let failure: Image?
  private let cell: FeedCell.Type
  private var selected: Set<Int> = []
  private let puller = RefreshControl()
  /// Called when the user refreshes the screen. The handler clears the caches and reloads the images and the feed's
  /// list.
  var onRefresh: () -> Void = {}

  init(_ feed: Feed, layout: ListLayout, cell: FeedCell.Type, failure: Image?) {
    self.feed = feed
    self.cell = cell
    self.failure = failure
    super.init()
    list.layout = layout
    list.dataSource = self
    list.onSelect = { [weak self] row in self?.toggle(row) }
    list.refreshControl = puller
    puller.addAction(for: .valueChanged) { [weak self] _ in self?.loadAnew() }
    addSubview(list)
  }

  var scrollView: ScrollView { list }

  func reload() { list.reloadData() }

  /// Shows another feed from the beginning.
  func show(_ feed: Feed) {
    self.feed = feed
    selected = []
    list.reloadData()
  }

  func refresh() { puller.refresh() }

  /// Reloads the feed. The refresh control spins until the first visible image has loaded again.
  private func loadAnew() {
    onRefresh()
    list.layoutIfNeeded()
    let first = list.visibleRows.first.flatMap { list.cell(at: $0) as? FeedCell }
    puller.setRefreshing(withStateOf: first?.image.imageActivity)
    if first == nil { puller.endRefreshing() }
  }

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

/// Scripts find the screen by the name “Refresh”. Its state is `loading` while the refresh control spins.
extension FeedScreen: ScriptNamed {
  var scriptTitle: String { "Refresh" }
  var scriptStates: Set<ScriptState> { [puller.isRefreshing ? .loading : .normal] }
}
