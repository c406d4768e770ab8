import Vitrine

/// A screen that shows the images of a feed in a list, with the layout and the cell type given by a subclass.
class FeedScreen: View, ScrollingScreen, ImageScreen {
  let list = ListView()
  private var items: Feed.Items
  private let failure: Image?
  private let cell: FeedCell.Type
  /// The size of the image in a cell, in points.
  var imageSize: Size
  private let prefetcher: ImagePrefetcher?
  private var selection = RowSelection()
  private let puller = RefreshControl()
  /// Called when the user refreshes the screen, after the shown images are requested again. The handler reloads the
  /// feed's list.
  var onRefresh: () -> Void = {}
  /// Called for a tap. A long press selects the row instead.
  var onOpen: (Int) -> Void = { _ in }
  /// The row whose image has left its cell, because it is shown over the whole window.
  private var openRow: Int?

  /// Creates a screen.
  ///
  /// - Parameter prefetcher: Loads the images of the next rows; `nil` loads only images that are shown.
  init(
    _ items: Feed.Items, layout: ListLayout, cell: FeedCell.Type, imageSize: Size, failure: Image?,
    prefetcher: ImagePrefetcher?
  ) {
    self.items = items
    self.cell = cell
    self.imageSize = imageSize
    self.failure = failure
    self.prefetcher = prefetcher
    super.init()
    list.layout = layout
    // A display without a user shows what is new at the beginning of its feed.
    list.sticksToTop = true
    list.dataSource = self
    if prefetcher != nil { list.prefetchDataSource = self }
    list.onSelect = { [weak self] row in self?.onOpen(row) }
    list.onLongPress = { [weak self] row in
      self?.list.selectedRow = row
      self?.toggle(row)
    }
    list.refreshControl = puller
    puller.addAction(for: .valueChanged) { [weak self] _ in self?.revalidate() }
    addSubview(list)
  }

  var scrollView: ScrollView { list }
  var visibleCells: [FeedCell] { list.visibleRows.compactMap { list.cell(at: $0) as? FeedCell } }

  var images: [any FeedImage] { list.rowsWithCells.compactMap { list.cell(at: $0) as? FeedCell } }
  var visibleImages: [any FeedImage]? { visibleCells }

  var feedItems: Feed.Items { items }

  func reload() { list.reloadData() }

  /// Shows other items. Rows that stay keep their cells, their selection and their place. The focus passes from a removed
  /// row to the next one.
  func show(_ new: Feed.Items, _ changes: ListChanges) {
    var rows = FeedRowChanges(from: items, to: new, changes)
    let focusedRow = list.selectedRow.flatMap { rows.row(replacing: $0) }
    list.apply(changes) {
      items = new
      selection.apply(&rows)
      openRow = openRow.flatMap { rows.newRow(of: $0) }
    }
    list.selectedRow = focusedRow
    // The titles of rows that stay may have changed.
    for row in list.rowsWithCells {
      guard let cell = list.cell(at: row) as? FeedCell else { continue }
      cell.update(items[row])
      cell.isChosen = selection.contains(row)
    }
  }

  func refresh() { puller.refresh() }

  /// Revalidates the images on the screen. An image stays until its server has sent a new image. The refresh control
  /// spins until the first image is revalidated.
  private func revalidate() {
    list.layoutIfNeeded()
    let cells = visibleCells
    for cell in cells { cell.revalidate(failure: failure) }
    onRefresh()
    puller.setRefreshing(withStateOf: cells.first?.image.imageActivity)
    if cells.isEmpty { puller.endRefreshing() }
  }

  override func layoutSubviews() { list.frame = bounds }

  // MARK: Images over the whole window

  func tile(of row: Int) -> HeroTile? {
    guard window != nil, let image = (list.cell(at: row) as? FeedCell)?.image else { return nil }
    let frame = image.frameInWindow
    return frame.intersects(list.frameInWindow)
      ? HeroTile(frame: frame, cornerRadius: image.cornerRadius) : nil
  }

  func reveal(_ row: Int) {
    list.scrollToRow(row)
    list.layoutIfNeeded()
  }

  func hideImage(of row: Int?) {
    let rows = [openRow, row]
    openRow = row
    for case let row? in rows { (list.cell(at: row) as? FeedCell)?.isOpen = row == openRow }
  }

  /// Called when the status of the image in a cell may have changed. Overrides call super.
  func statusDidChange(of cell: FeedCell) {}

  private func toggle(_ row: Int) {
    selection.toggle(row)
    (list.cell(at: row) as? FeedCell)?.isChosen = selection.contains(row)
  }
}

extension FeedScreen: ListViewDataSource {
  func numberOfRows(in list: ListView) -> Int { items.count }

  func listView(_ list: ListView, cellForRow row: Int) -> ListCell {
    let cell = list.dequeueCell(cell)
    cell.onStatusChange = { [weak self] in self?.statusDidChange(of: $0) }
    cell.show(items[row], failure: failure)
    cell.isChosen = selection.contains(row)
    cell.isOpen = row == openRow
    return cell
  }
}

extension FeedScreen: ListViewPrefetching {
  func listView(_ list: ListView, prefetchRows rows: [Int]) {
    let target = list.decodeTarget(for: imageSize, contentMode: .fill)
    prefetcher?.prefetch(rows.map { items[$0].url }, targetSize: target)
  }

  func listView(_ list: ListView, cancelPrefetchingForRows rows: [Int]) {
    prefetcher?.cancel(rows.filter(items.indices.contains).map { items[$0].url })
  }
}

/// Scripts find the screen by the name “Refresh”. Its state is `loading` while the refresh control spins.
extension FeedScreen: ScriptNamed {
  var scriptTitle: String { "Refresh" }
  var scriptStates: Set<ScriptState> { [puller.isRefreshing ? .loading : .normal] }
}
