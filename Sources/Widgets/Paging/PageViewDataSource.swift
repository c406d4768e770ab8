/// The provider of a `PageView`'s pages.
///
/// Only `numberOfPages(in:)` and `pageView(_:viewForPage:)` are required.
@MainActor
public protocol PageViewDataSource: AnyObject {
  /// Returns the number of pages. Called once for each `PageView.reloadData()` and `PageView.apply(_:update:)`.
  func numberOfPages(in pageView: PageView) -> Int

  /// Returns the view for a page that comes near. The page view gives it the size of a page.
  func pageView(_ pageView: PageView, viewForPage page: Int) -> View

  /// Called after the view of a page was removed, because the page is no longer near: the place to cancel loads or to keep
  /// the view for another page. By default does nothing.
  func pageView(_ pageView: PageView, didEndDisplaying view: View, forPage page: Int)

  /// Called once before a page needs a view, when it is one page further away than the pages with views, nearest page
  /// first: the place to load its content ahead. By default does nothing.
  func pageView(_ pageView: PageView, preparePage page: Int)

  /// Called once for each prepared page that is no longer near, after `pageView(_:didEndDisplaying:forPage:)`. By default
  /// does nothing.
  func pageView(_ pageView: PageView, discardPage page: Int)
}

extension PageViewDataSource {
  /// Does nothing.
  public func pageView(_ pageView: PageView, didEndDisplaying view: View, forPage page: Int) {}
  /// Does nothing.
  public func pageView(_ pageView: PageView, preparePage page: Int) {}
  /// Does nothing.
  public func pageView(_ pageView: PageView, discardPage page: Int) {}
}
