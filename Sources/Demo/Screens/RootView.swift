import Vitrine

/// Everything in the window: header, the screen that is chosen, status line; or the screen alone.
final class RootView: View {
  private let header: Header?
  private let status: StatusLine?
  private(set) var screen: any Screen
  /// What header and status line leave to the screen at least: a row of the list.
  private static let lowestScreen = PictureCell.height

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
    // A window that is too low for all of it keeps its pictures.
    let top = room(for: header, height: header?.sizeThatFits(bounds.size).height ?? 0, beside: 0)
    let bottom = room(for: status, height: Theme.statusHeight, beside: top)
    header?.frame = Rect(x: 0, y: 0, width: bounds.width, height: top)
    status?.frame = Rect(x: 0, y: bounds.height - bottom, width: bounds.width, height: bottom)
    screen.frame = Rect(x: 0, y: top, width: bounds.width, height: max(0, bounds.height - top - bottom))
  }

  private func room(for bar: View?, height: Double, beside other: Double) -> Double {
    guard let bar else { return 0 }
    bar.isHidden = bounds.height < other + height + Self.lowestScreen
    return bar.isHidden ? 0 : height
  }
}
