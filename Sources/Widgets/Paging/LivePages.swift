import VitrineGraphics

/// The views of the pages near the visible one. Requests them from the data source and places them in their slots.
final class LivePages {
  private unowned let pageView: PageView
  private var views: [Int: View] = [:]
  private var preparation = PagePreparation()
  private var visiblePages: Set<Int> = []
  /// True while the data source is called, which must not change the pages meanwhile.
  private(set) var isUpdating = false

  init(of pageView: PageView) { self.pageView = pageView }

  func view(forPage page: Int) -> View? { views[page] }

  /// Returns the page that contains a view; `nil` if none does.
  func page(containing view: View) -> Int? { views.first { view.isDescendant(of: $0.value) }?.key }

  /// Gives views to the pages of `placements` and removes the others. O(pages with views).
  ///
  /// - Parameters:
  ///   - placements: The pages that need views, nearest first.
  ///   - near: The pages to prepare, nearest first.
  ///   - frame: Returns the frame of a slot.
  func update(_ placements: [PagePlacement], near: [Int], frame: (Int) -> Rect) {
    isUpdating = true
    let needed = Set(placements.map(\.page))
    for (page, view) in views.sorted(by: { $0.key < $1.key }) where !needed.contains(page) {
      retire(view, page)
    }
    let calls = preparation.move(to: near)
    discard(calls.discarded)
    for page in calls.prepared { pageView.dataSource?.pageView(pageView, preparePage: page) }
    for placement in placements where views[placement.page] == nil {
      makeView(for: placement.page, frame: frame(placement.slot))
    }
    for placement in placements { views[placement.page]?.frame = frame(placement.slot) }
    // The Tab key follows the order of the pages.
    pageView.sendToBack(placements.sorted { $0.slot < $1.slot }.compactMap { views[$0.page] })
    isUpdating = false
  }

  private func makeView(for page: Int, frame: Rect) {
    let view = pageView.dataSource?.pageView(pageView, viewForPage: page) ?? View()
    views[page] = view
    view.frame = frame
    pageView.addSubview(view)
    // Image views that are sized by the page request their images here, the visible page first.
    view.layoutIfNeeded()
  }

  /// Tells the pages that are no longer visible.
  func updateVisiblePages() {
    let visible = Set(views.filter { $0.value.frame.intersects(pageView.bounds) }.keys)
    for page in visiblePages.subtracting(visible) { views[page]?.didLeaveScreen() }
    visiblePages = visible
  }

  /// Removes all views and discards all pages.
  func removeAll() {
    isUpdating = true
    for (page, view) in views.sorted(by: { $0.key < $1.key }) { retire(view, page) }
    discard(preparation.reset())
    visiblePages = []
    isUpdating = false
  }

  /// Removes the views of removed pages, and gives the other views their new pages.
  func apply(_ changes: ListChanges) {
    isUpdating = true
    for (page, view) in views.sorted(by: { $0.key < $1.key }) where changes.newRow(of: page) == nil {
      retire(view, page)
    }
    discard(preparation.apply(changes))
    var kept: [Int: View] = [:]
    for (page, view) in views { if let new = changes.newRow(of: page) { kept[new] = view } }
    views = kept
    visiblePages = Set(visiblePages.compactMap { changes.newRow(of: $0) })
    isUpdating = false
  }

  private func retire(_ view: View, _ page: Int) {
    views[page] = nil
    view.removeFromSuperview()
    pageView.dataSource?.pageView(pageView, didEndDisplaying: view, forPage: page)
  }

  private func discard(_ pages: [Int]) {
    for page in pages { pageView.dataSource?.pageView(pageView, discardPage: page) }
  }
}
