import Vitrine

/// A feed in a list, whatever its layout and its cells.
class FeedScreen: View, Screen {
  let list = ListView()
  private var feed: Feed
  private let failure: Image?
  private let cell: FeedCell.Type
  private var selected: Set<Int> = []
  private let puller = RefreshControl()
  /// Forgets the pictures that are there, and loads those that are seen again.
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

  /// Shows another feed, scrolled to its beginning.
  func show(_ feed: Feed) {
    self.feed = feed
    selected = []
    list.reloadData()
  }

  func refresh() { puller.refresh() }

  /// It refreshes until the first picture that is seen is there again.
  private func loadAnew() {
    onRefresh()
    list.layoutIfNeeded()
    let first = list.visibleRows.first.flatMap { list.cell(at: $0) as? FeedCell }
    puller.setRefreshing(withStateOf: first?.picture.imageActivity)
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

/// Scripts find it as “Refresh”: loading while it refreshes.
extension FeedScreen: ScriptNamed {
  var scriptTitle: String { "Refresh" }
  var scriptStates: Set<ScriptState> { [puller.isRefreshing ? .loading : .normal] }
}
