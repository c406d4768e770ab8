import Vitrine

/// Shows the images of a feed over the whole window, one page each, after a tap on one of them. The image grows from its
/// place, and returns into the place of the image that is shown last.
final class ImageViewer {
  /// Called when the viewer has left the window.
  var onClose: () -> Void = {}

  private let content: ViewerContent
  private let hero: HeroView
  /// The view that had the focus before, and gets it back.
  private weak var focused: View?
  /// The screen whose images are shown.
  private weak var screen: (any ImageScreen)?

  /// Opens the viewer over a window.
  ///
  /// - Parameters:
  ///   - row: The row of the image that is shown first.
  ///   - screen: The screen with the images, which is asked for their places.
  ///   - failure: The image of pages whose image cannot be loaded.
  init(showing row: Int, of screen: any ImageScreen, failure: Image?, in window: Window) {
    self.screen = screen
    content = ViewerContent(screen.feedItems, showing: row, failure: failure)
    hero = HeroView(content: content) { [content] in content.page?.contents }
    hero.imageFrame = { [content] in content.page?.imageFrame }
    hero.allowsDrag = { [content] in content.page.map { !$0.isEnlarged } ?? true }
    hero.tileToReturnTo = { [weak self] in self?.tile() }
    hero.onStageChange = { [weak self] in self?.stageDidChange($0) }
    hero.accessibilityLabel = "Viewer"
    content.onClose = { [weak hero] in hero?.close() }
    content.onImageChange = { [weak hero] in hero?.imageDidChange() }
    content.frame = window.bounds
    content.layoutIfNeeded()
    // The keys of the views behind are not for the viewer.
    focused = window.focusedView
    window.focus(nil)
    hero.open(from: screen.tile(of: row), in: window)
    screen.hideImage(of: row)
  }

  func close() { hero.close() }

  /// Shows other items, of which the one on the screen stays.
  func show(_ items: Feed.Items, _ changes: ListChanges) {
    if items.isEmpty { close() } else { content.show(items, changes) }
  }

  /// Returns the place into which the image returns, scrolled onto the screen.
  private func tile() -> HeroTile? {
    guard let screen, let row = content.row else { return nil }
    screen.hideImage(of: row)
    screen.reveal(row)
    return screen.tile(of: row)
  }

  private func stageDidChange(_ stage: HeroView.Stage) {
    content.setBars(visible: stage == .open)
    guard stage == .closed else { return }
    screen?.hideImage(of: nil)
    onClose()
    if let focused { focused.window?.focus(focused) }
  }
}
