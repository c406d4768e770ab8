import Vitrine

/// The bar at the top: the program's name, the choice of screens, the server's behaviour, and a button that clears the
/// cache.
final class Header: View {
  private let name = Label("Vitrine", font: .bold(22), color: Theme.text)
  private let screens: SegmentedControl
  private let serverLabel = Label("Server", font: Theme.body, color: Theme.secondaryText)
  private let moods: SegmentedControl?
  private let clear = PillButton(title: "Clear cache")
  private let line = View()

  /// Creates a header.
  ///
  /// - Parameter onMood: Called when the user chooses a behaviour of the embedded server; `nil` hides this choice.
  init(
    screens names: [String], onScreen: @escaping (Int) -> Void, onMood: ((Gallery.Mood) -> Void)?,
    onClear: @escaping () -> Void
  ) {
    screens = SegmentedControl(names, onChange: onScreen)
    moods = onMood.map { onMood in
      SegmentedControl(Gallery.Mood.allCases.map(\.rawValue)) { onMood(Gallery.Mood.allCases[$0]) }
    }
    super.init()
    backgroundColor = Theme.bar
    line.backgroundColor = Theme.line
    clear.addAction(for: .touchUpInside) { _ in onClear() }
    serverLabel.isHidden = moods == nil
    screens.accessibilityLabel = "Screen"
    moods?.accessibilityLabel = "Server"
    for view in [name, screens, serverLabel, moods, clear, line].compactMap({ $0 }) { addSubview(view) }
  }

  func choose(screen index: Int) { screens.selection = index }

  /// Returns the size for one row, or for two rows if the width is too small: the choice of behaviour and the button
  /// move below the choice of screens.
  override func sizeThatFits(_ size: Size) -> Size {
    Size(width: size.width, height: Theme.headerHeight + (fitsOneRow(size.width) ? 0 : Self.secondRow))
  }

  private static let secondRow = 48.0
  private static let screensX = 144.0
  private static let gap = 24.0

  private func fitsOneRow(_ width: Double) -> Bool {
    let needed = [screens, moods, clear].compactMap { $0?.sizeThatFits(.zero).width }.reduce(0, +)
    return Self.screensX + needed + (moods == nil ? 2 : 3) * Self.gap <= width
  }

  override func layoutSubviews() {
    let isOneRow = fitsOneRow(bounds.width)
    let first = Theme.headerHeight / 2
    let second = isOneRow ? first : first + Self.secondRow
    let end = bounds.width - Self.gap

    // In a narrow window the name and the button are hidden.
    let screensWidth = min(screens.sizeThatFits(.zero).width, max(0, bounds.width - 2 * Self.gap))
    name.isHidden = Self.screensX + screensWidth > end
    name.frame = Rect(x: Self.gap, y: first - 16, width: 112, height: 32)
    place(screens, x: name.isHidden ? Self.gap : Self.screensX, middle: first, end: end)

    let clearWidth = clear.sizeThatFits(.zero).width
    let moodsWidth = moods?.sizeThatFits(.zero).width ?? 0
    let moodsX = isOneRow ? end - clearWidth - Self.gap - moodsWidth : Self.gap
    clear.frame = Rect(x: end - clearWidth, y: second - 16, width: clearWidth, height: 32)
    clear.isHidden = !isOneRow && moodsX + moodsWidth > clear.frame.minX
    if let moods {
      place(moods, x: moodsX, middle: second, end: end)
      let labelWidth = serverLabel.sizeThatFits(bounds.size).width.rounded(.up)
      serverLabel.frame = Rect(x: moodsX - 12 - labelWidth, y: second - 12, width: labelWidth, height: 24)
      serverLabel.isHidden = !isOneRow || serverLabel.frame.minX < screens.frame.maxX + Self.gap
    }
    line.frame = Rect(x: 0, y: bounds.height - 1, width: bounds.width, height: 1)
  }

  private func place(_ control: SegmentedControl, x: Double, middle: Double, end: Double) {
    let width = min(control.sizeThatFits(.zero).width, max(0, end - x))
    control.frame = Rect(x: x, y: middle - 20, width: width, height: 40)
  }
}
