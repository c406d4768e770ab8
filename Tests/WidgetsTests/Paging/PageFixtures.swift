import VitrineGraphics
import VitrineTesting
import VitrineWidgets

/// A page with its name and two buttons side by side in the upper half.
final class NamedPage: View {
  let label = Label()
  let buttons = [Button(), Button()]

  init(_ name: String) {
    super.init()
    label.text = name
    label.alignment = .center
    addSubview(label)
    for button in buttons { addSubview(button) }
  }

  override func layoutSubviews() {
    label.frame = bounds
    for (index, button) in buttons.enumerated() {
      button.frame = Rect(x: 20 + Double(index) * 100, y: 20, width: 80, height: 40)
    }
  }
}

/// Gives named pages, and records the calls of a page view.
final class NamedPages: PageViewDataSource {
  var names: [String]
  var log: [String] = []
  var reloadsOnce = false

  init(_ names: [String]) { self.names = names }

  func numberOfPages(in pageView: PageView) -> Int { names.count }

  func pageView(_ pageView: PageView, viewForPage page: Int) -> View {
    log.append("view \(page)")
    if reloadsOnce {
      reloadsOnce = false
      pageView.reloadData()
    }
    return NamedPage(names[page])
  }

  func pageView(_ pageView: PageView, didEndDisplaying view: View, forPage page: Int) {
    log.append("end \(page)")
  }

  func pageView(_ pageView: PageView, preparePage page: Int) { log.append("prepare \(page)") }
  func pageView(_ pageView: PageView, discardPage page: Int) { log.append("discard \(page)") }
}

/// A window of 400x300 points that a page view fills.
final class PageWindow {
  let pages = PageView(frame: Rect(x: 0, y: 0, width: 400, height: 300))
  let source: NamedPages
  let test: TestWindow
  /// The pages that were reported to `onPageChange`.
  private(set) var changes: [Int] = []

  init(_ names: [String] = ["a", "b", "c", "d", "e"], configure: (PageView) -> Void = { _ in }) {
    source = NamedPages(names)
    pages.dataSource = source
    configure(pages)
    test = TestWindow(pages)
    pages.onPageChange = { [unowned self] in changes.append($0) }
  }

  /// Flicks to the next page (1) or to the previous one (-1), and waits until it is in place.
  func swipe(_ step: Int) {
    let (left, right) = (Point(x: 150, y: 200), Point(x: 250, y: 200))
    test.drag(from: step > 0 ? right : left, to: step > 0 ? left : right, duration: 0.1)
    test.advanceUntilIdle()
  }

  /// The distance of a page's left edge from that of the window.
  func x(ofPage page: Int) -> Double? { pages.view(forPage: page)?.frameInWindow.minX }
}
