import Vitrine

/// The pages of the viewer, with a caption at the bottom and a button that closes the viewer. A tap on the image hides
/// both, and shows them again.
final class ViewerContent: View {
  /// Called when the button is pressed.
  var onClose: () -> Void = {}

  private let pages = PageView()
  private let caption = ViewerCaption()
  private let closeButton = ViewerButton("Back")
  private var items: Feed.Items
  private let prefetcher = ImagePrefetcher(downloader: View.sharedImageDownloader)
  private var hidesBars = false

  init(_ items: Feed.Items, showing row: Int) {
    self.items = items
    super.init()
    pages.dataSource = self
    pages.pageSpacing = 24
    pages.onPageChange = { [weak self] _ in self?.pageDidChange() }
    closeButton.addAction(for: .touchUpInside) { [weak self] _ in self?.onClose() }
    for view in [pages, caption, closeButton] as [View] { addSubview(view) }
    pages.reloadData()
    pages.setCurrentPage(row, animated: false)
    pageDidChange()
  }

  /// The row of the image that is shown; `nil` without items.
  var row: Int? { items.isEmpty ? nil : pages.currentPage }

  /// The view of the image that is shown.
  var page: ViewerPage? { row.flatMap { pages.view(forPage: $0) as? ViewerPage } }

  func show(_ new: Feed.Items, _ changes: ListChanges) {
    pages.apply(changes) { items = new }
    pageDidChange()
  }

  private func pageDidChange() {
    guard let row, items.indices.contains(row) else { return }
    caption.show(items[row], number: row + 1, of: items.count)
    // A page that was left is shown whole when the user comes back.
    for neighbor in [row - 1, row + 1] { (pages.view(forPage: neighbor) as? ViewerPage)?.reset() }
  }

  private func toggleBars() {
    hidesBars.toggle()
    setBars(visible: true, animated: true)
  }

  /// Shows the caption and the button, unless the user has hidden them.
  func setBars(visible: Bool, animated: Bool) {
    let isHidden = !visible || hidesBars
    caption.isHidden = isHidden
    closeButton.isHidden = isHidden
  }

  override func layoutSubviews() {
    pages.frame = bounds
    caption.frame = Rect(x: 0, y: bounds.height - 88, width: bounds.width, height: 88)
    let size = closeButton.sizeThatFits(bounds.size)
    closeButton.frame = Rect(x: Theme.unit * 2, y: Theme.unit * 2, width: size.width, height: 40)
  }

  /// The image on the screen handles keys first: an enlarged image moves before the pages turn.
  override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    if page?.keyDown(key, modifiers: modifiers) == true { return true }
    return pages.keyDown(key, modifiers: modifiers)
  }
}

extension ViewerContent: PageViewDataSource {
  func numberOfPages(in pageView: PageView) -> Int { items.count }

  func pageView(_ pageView: PageView, viewForPage page: Int) -> View {
    let view = ViewerPage()
    view.onTap = { [weak self] _ in self?.toggleBars() }
    view.show(items[page])
    return view
  }

  func pageView(_ pageView: PageView, preparePage page: Int) {
    prefetcher.prefetch([items[page].url], targetSize: decodeTarget(for: bounds.size, contentMode: .fit))
  }

  func pageView(_ pageView: PageView, discardPage page: Int) {
    if items.indices.contains(page) { prefetcher.cancel([items[page].url]) }
  }
}
