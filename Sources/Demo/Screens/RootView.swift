import Vitrine

/// Everything in the window: header, the screen that is chosen, status line.
final class RootView: View {
  private let header: Header
  private let status: StatusLine
  private(set) var screen: any Screen
  /// What header and status line leave to the screen at least: a row of the list.
  private static let lowestScreen = PictureCell.height

  init(header: Header, screen: any Screen, status: StatusLine) {
    self.header = header
    self.screen = screen
    self.status = status
    super.init()
    backgroundColor = Theme.background
    for view in [screen, header, status] as [View] { addSubview(view) }
  }

  func show(_ new: any Screen) {
    screen.removeFromSuperview()
    screen = new
    insertSubview(new, at: 0)
  }

  override func layoutSubviews() {
    // A window that is too low for all of it keeps its pictures.
    let wanted = header.sizeThatFits(bounds.size).height
    header.isHidden = bounds.height < wanted + Self.lowestScreen
    let top = header.isHidden ? 0 : wanted
    status.isHidden = bounds.height < top + Theme.statusHeight + Self.lowestScreen
    let bottom = status.isHidden ? 0 : Theme.statusHeight
    header.frame = Rect(x: 0, y: 0, width: bounds.width, height: top)
    status.frame = Rect(x: 0, y: bounds.height - bottom, width: bounds.width, height: bottom)
    screen.frame = Rect(x: 0, y: top, width: bounds.width, height: max(0, bounds.height - top - bottom))
  }
}
