import Vitrine

/// The contents of the window: the header, the current screen and the status line, or only the screen.
final class RootView: View {
  private let header: Header?
  private let status: StatusLine?
  private(set) var screen: any Screen
  /// The minimum height of the screen: one row of the list. The header and the status line are hidden if they would
  /// leave less.
  private static let minimumScreenHeight = ImageCell.height

  init(header: Header?, screen: any Screen, status: StatusLine?) {
    self.header = header
    self.screen = screen
    self.status = status
    super.init()
    backgroundColor = Theme.background
    for view in [screen, header, status] as [View?] { view.map(addSubview) }
  }

  func show(_ new: any Screen) {
    screen.removeFromSuperview()
    screen = new
    insertSubview(new, at: 0)
  }

  override func layoutSubviews() {
    // A low window hides its bars in favor of the images.
    let top = barHeight(header, fitting: header?.sizeThatFits(bounds.size).height ?? 0, otherBarHeight: 0)
    let bottom = barHeight(status, fitting: Theme.statusHeight, otherBarHeight: top)
    header?.frame = Rect(x: 0, y: 0, width: bounds.width, height: top)
    status?.frame = Rect(x: 0, y: bounds.height - bottom, width: bounds.width, height: bottom)
    screen.frame = Rect(x: 0, y: top, width: bounds.width, height: max(0, bounds.height - top - bottom))
  }

  private func barHeight(_ bar: View?, fitting height: Double, otherBarHeight: Double) -> Double {
    guard let bar else { return 0 }
    bar.isHidden = bounds.height < otherBarHeight + height + Self.minimumScreenHeight
    return bar.isHidden ? 0 : height
  }
}
