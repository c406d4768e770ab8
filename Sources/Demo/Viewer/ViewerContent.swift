import Vitrine

/// The pages of the viewer, with a caption at the bottom and a button that closes the viewer. A tap on the image, Space
/// or H hides both, and shows them again.
final class ViewerContent: View {
  /// Called when the button is pressed.
  var onClose: () -> Void = {}
  /// Called when a page shows another image, or none.
  var onImageChange: () -> Void = {}

  private let pages = PageView()
  private let caption = CaptionView()
  private let number = Label("", font: Theme.body, color: Theme.text)
  private let closeButton = ViewerButton("Back")
  private var items: Feed.Items
  private let failure: Image?
  private let prefetcher: ImagePrefetcher
  private var ahead = ImagesAhead()
  /// True if the user has hidden the caption and the button.
  private var hidesBars = false
  private var hidesAll = false
  /// The minimum height of a window with a caption.
  private static let captionHeight = 88.0

  /// - Parameters:
  ///   - failure: The image of pages whose image cannot be loaded.
  ///   - prefetcher: Loads the images of the next pages; `nil` for one of the shared downloader.
  init(_ items: Feed.Items, showing row: Int, failure: Image?, prefetcher: ImagePrefetcher? = nil) {
    self.items = items
    self.failure = failure
    self.prefetcher = prefetcher ?? ImagePrefetcher(downloader: View.sharedImageDownloader)
    super.init()
    pages.dataSource = self
    caption.trailingView = number
    caption.isUserInteractionEnabled = false
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

  /// Shows other items. The image on the screen stays; a file that was overwritten is loaded again.
  func show(_ new: Feed.Items, _ changes: ListChanges) {
    var rows = FeedRowChanges(from: items, to: new, changes)
    let row = row.flatMap { rows.row(replacing: $0) }
    pages.apply(changes) { items = new }
    // The page view takes an overwritten file for a removed page.
    if let row, row != pages.currentPage { pages.setCurrentPage(row, animated: false) }
    pageDidChange()
  }

  private func pageDidChange() {
    guard let row, items.indices.contains(row) else { return }
    updateCaption()
    number.text = "\(row + 1) of \(items.count)"
    caption.setNeedsLayout()
    // A page that was left is shown whole when the user comes back. It may still be visible.
    for neighbor in [row - 1, row + 1] {
      guard let page = pages.view(forPage: neighbor) as? ViewerPage, page.isEnlarged else { continue }
      page.setZoomScale(1, animated: true)
    }
  }

  /// Shows the title and the date of the current page.
  private func updateCaption() {
    guard let row, items.indices.contains(row) else { return }
    let item = items[row]
    let metadata = page?.contents?.metadata
    // A title in the image says more than the name of its file.
    let title = item.title.isEmpty || item.isTitleFileName ? metadata?.title ?? item.title : item.title
    let parts = SlideCaption.titleAndDate.parts(title: title, captureTime: metadata?.captureTime)
    caption.text = parts.filter { !$0.isEmpty }.joined(separator: "  ·  ")
  }

  private func toggleBars() {
    hidesBars.toggle()
    setBars(visible: true)
  }

  /// Shows the caption and the button, unless the user has hidden them.
  func setBars(visible: Bool) {
    hidesAll = !visible || hidesBars
    setNeedsLayout()
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    // Texts are measured as the window draws them.
    caption.setNeedsLayout()
    resizeImagesAhead()
  }

  /// Loads the images of the next pages for the size of the window, which has no scale before there is one.
  private func resizeImagesAhead() {
    let target = window == nil ? nil : decodeTarget(for: bounds.size, contentMode: .fit)
    let change = ahead.resize(to: target)
    if !change.cancelled.isEmpty { prefetcher.cancel(change.cancelled) }
    prefetch(change.loaded)
  }

  private func prefetch(_ urls: [String]) {
    guard !urls.isEmpty else { return }
    prefetcher.prefetch(urls, targetSize: ahead.target)
  }

  override func layoutSubviews() {
    resizeImagesAhead()
    pages.frame = bounds
    closeButton.isHidden = hidesAll
    // A low window belongs to the image.
    caption.isHidden = hidesAll || bounds.height < 3 * Self.captionHeight
    caption.frame = Rect(
      x: 0, y: bounds.height - Self.captionHeight, width: bounds.width, height: Self.captionHeight)
    let size = closeButton.sizeThatFits(bounds.size)
    closeButton.frame = Rect(x: Theme.unit * 2, y: Theme.unit * 2, width: size.width, height: 40)
  }

  /// Space and H hide the caption and the button, and show them again. The image on the screen handles other keys first:
  /// an enlarged image moves before the pages turn.
  override func keyDown(_ key: Key, modifiers: KeyModifiers) -> Bool {
    if modifiers.isEmpty, key == .space || key == .character("h") {
      toggleBars()
      return true
    }
    if page?.keyDown(key, modifiers: modifiers) == true { return true }
    return pages.keyDown(key, modifiers: modifiers)
  }
}

extension ViewerContent: PageViewDataSource {
  func numberOfPages(in pageView: PageView) -> Int { items.count }

  func pageView(_ pageView: PageView, viewForPage page: Int) -> View {
    let view = ViewerPage(failure: failure)
    view.onTap = { [weak self] _ in self?.toggleBars() }
    view.onImageChange = { [weak self] in
      self?.updateCaption()
      self?.onImageChange()
    }
    view.show(items[page])
    return view
  }

  func pageView(_ pageView: PageView, preparePage page: Int) {
    prefetch(ahead.add(items[page].url))
  }

  func pageView(_ pageView: PageView, discardPage page: Int) {
    guard items.indices.contains(page) else { return }
    let url = items[page].url
    if ahead.remove(url) { prefetcher.cancel([url]) }
  }
}
