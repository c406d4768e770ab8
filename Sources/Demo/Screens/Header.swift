import Vitrine

/// The bar at the top: the program's name, the choice of screens, the server's behaviour, and a button that clears the
/// cache.
final class Header: View {
  private let name = Label("Vitrine", font: .bold(22), color: Theme.text)
  private let screens: SegmentedControl
  private let serverLabel = Label("Server", font: Theme.body, color: Theme.secondaryText)
  private let modes: SegmentedControl?
  private let clearButton = PillButton(title: "Clear cache")
  private let line = View()

  /// Creates a header.
  ///
  /// - Parameter onServerMode: Called when the user chooses a behaviour of the embedded server; `nil` hides the choice.
  init(
    screens names: [String], onScreen: @escaping (Int) -> Void, onServerMode: ((Gallery.ServerMode) -> Void)?,
    onClear: @escaping () -> Void
  ) {
    screens = SegmentedControl(names, onChange: onScreen)
    modes = onServerMode.map { onServerMode in
      SegmentedControl(Gallery.ServerMode.allCases.map(\.rawValue)) {
        onServerMode(Gallery.ServerMode.allCases[$0])
      }
    }
    super.init()
    backgroundColor = Theme.bar
    line.backgroundColor = Theme.line
    clearButton.addAction(for: .touchUpInside) { _ in onClear() }
    serverLabel.isHidden = modes == nil
    screens.accessibilityLabel = "Screen"
    modes?.accessibilityLabel = "Server"
    for view in [name, screens, serverLabel, modes, clearButton, line].compactMap({ $0 }) { addSubview(view) }
  }

  func choose(screen index: Int) { screens.selection = index }

  /// Returns the size for one row, or for two rows if the width is too small: the choice of behaviour and the button
  /// move below the choice of screens. In a low window, they leave.
  override func sizeThatFits(_ size: Size) -> Size {
    if fitsOneRow(size.width) { return Size(width: size.width, height: Theme.headerHeight) }
    let isLow = size.height < Self.lowWindow
    return Size(width: size.width, height: isLow ? Self.lowRow : Theme.headerHeight + Self.secondRow)
  }

  private static let secondRow = 48.0
  /// The height of a window that has no room for a second row.
  private static let lowWindow = 280.0
  private static let lowRow = 48.0
  private static let screensX = 132.0
  private static let gap = 24.0
  /// The distance between two controls of one row.
  private static let controlGap = 16.0

  private func fitsOneRow(_ width: Double) -> Bool {
    let widths = [screens, modes, clearButton].compactMap { $0?.sizeThatFits(.zero).width }
    return Self.screensX + widths.reduce(0, +) + (modes == nil ? 1 : 2) * Self.controlGap + Self.gap <= width
  }

  override func layoutSubviews() {
    let isOneRow = fitsOneRow(bounds.width)
    let isLow = bounds.height < Theme.headerHeight
    let first = isLow ? bounds.height / 2 : Theme.headerHeight / 2
    let second = isOneRow ? first : first + Self.secondRow
    let end = bounds.width - Self.gap

    // In a narrow window the name and the button are hidden.
    let screensWidth = min(screens.sizeThatFits(.zero).width, max(0, bounds.width - 2 * Self.gap))
    name.isHidden = Self.screensX + screensWidth > end
    name.frame = Rect(x: Self.gap, y: first - 16, width: 112, height: 32)
    layOut(screens, x: name.isHidden ? Self.gap : Self.screensX, middle: first, end: end)

    let clearButtonWidth = clearButton.sizeThatFits(.zero).width
    let modesWidth = modes?.sizeThatFits(.zero).width ?? 0
    let modesX = isOneRow ? end - clearButtonWidth - Self.controlGap - modesWidth : Self.gap
    clearButton.frame = Rect(x: end - clearButtonWidth, y: second - 16, width: clearButtonWidth, height: 32)
    clearButton.isHidden = isLow || !isOneRow && modesX + modesWidth > clearButton.frame.minX
    modes?.isHidden = isLow
    if let modes {
      layOut(modes, x: modesX, middle: second, end: end)
      let labelWidth = serverLabel.sizeThatFits(bounds.size).width.rounded(.up)
      serverLabel.frame = Rect(x: modesX - 12 - labelWidth, y: second - 12, width: labelWidth, height: 24)
      serverLabel.isHidden = isLow || !isOneRow || serverLabel.frame.minX < screens.frame.maxX + Self.gap
    }
    line.frame = Rect(x: 0, y: bounds.height - 1, width: bounds.width, height: 1)
  }

  private func layOut(_ control: SegmentedControl, x: Double, middle: Double, end: Double) {
    let width = min(control.sizeThatFits(.zero).width, max(0, end - x))
    control.frame = Rect(x: x, y: middle - 20, width: width, height: 40)
  }
}
