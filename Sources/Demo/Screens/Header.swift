import Vitrine

/// The bar at the top: the program's name, the choice of screens, the behaviour of the embedded server if it serves the
/// feed, and a button that clears the cache.
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
    screens.accessibilityLabel = "Screen"
    modes?.accessibilityLabel = "Server"
    for view in [name, screens, serverLabel, modes, clearButton, line].compactMap({ $0 }) { addSubview(view) }
  }

  func choose(screen index: Int) { screens.selection = index }

  /// Returns the size for one row, or for two rows if the width is too small: the choice of behaviour and the button
  /// move below the choice of screens. In a low window, they leave. A button without a choice of behaviour leaves if it
  /// does not fit beside the choice of screens.
  override func sizeThatFits(_ size: Size) -> Size {
    if fitsOneRow(size.width) { return Size(width: size.width, height: Theme.headerHeight) }
    if size.height < Self.lowWindow { return Size(width: size.width, height: Self.lowRow) }
    return Size(width: size.width, height: Theme.headerHeight + (modes == nil ? 0 : Self.secondRow))
  }

  private static let secondRow = 48.0
  /// The height of a window that has no room for a second row.
  private static let lowWindow = 280.0
  private static let lowRow = 48.0
  private static let nameWidth = 100.0
  /// The left edge of the choice of screens beside the program's name.
  private static let screensX = 132.0
  /// The distance between two controls of one row.
  private static let controlGap = 16.0
  /// The minimum width of the choice of behaviour beside the button: about one and a half titles.
  private static let leastModesWidth = 96.0

  private func width(of control: View?) -> Double { control?.sizeThatFits(.zero).width ?? 0 }

  /// The width of the choice of behaviour and of the button, with the distance between them.
  private var otherControlsWidth: Double {
    width(of: modes) + (modes == nil ? 0 : Self.controlGap) + width(of: clearButton)
  }

  /// True if all controls fit beside each other, with or without the program's name.
  private func fitsOneRow(_ width: Double) -> Bool {
    self.width(of: screens) + Self.controlGap + otherControlsWidth + 2 * Theme.barMargin(inWidth: width)
      <= width
  }

  override func layoutSubviews() {
    let isOneRow = modes == nil || fitsOneRow(bounds.width)
    let isLow = bounds.height < Theme.headerHeight
    let first = isLow ? bounds.height / 2 : Theme.headerHeight / 2
    let second = isOneRow ? first : first + Self.secondRow
    let margin = Theme.barMargin(inWidth: bounds.width)
    let end = bounds.width - margin

    let clearButtonWidth = width(of: clearButton)
    clearButton.frame = Rect(x: end - clearButtonWidth, y: second - 16, width: clearButtonWidth, height: 32)
    let modesEnd = clearButton.frame.minX - Theme.unit
    let screensEnd = end - (isOneRow ? Self.controlGap + otherControlsWidth : 0)
    let hasSpace = isOneRow ? fitsOneRow(bounds.width) : modesEnd - margin >= Self.leastModesWidth
    clearButton.isHidden = isLow || !hasSpace

    // The name is hidden in favor of the controls.
    let available = clearButton.isHidden ? end : screensEnd
    name.isHidden = Self.screensX + width(of: screens) > available
    name.frame = Rect(x: margin, y: first - 16, width: Self.nameWidth, height: 32)
    layOut(screens, x: name.isHidden ? margin : Self.screensX, middle: first, end: available)

    layOutModes(
      x: isOneRow ? end - otherControlsWidth : margin, middle: second,
      end: clearButton.isHidden ? end : modesEnd)
    modes?.isHidden = isLow
    serverLabel.isHidden =
      modes == nil || isLow || !isOneRow || serverLabel.frame.minX < screens.frame.maxX + Self.controlGap
    line.frame = Rect(x: 0, y: bounds.height - 1, width: bounds.width, height: 1)
  }

  private func layOutModes(x: Double, middle: Double, end: Double) {
    guard let modes else { return }
    layOut(modes, x: x, middle: middle, end: end)
    let labelWidth = serverLabel.sizeThatFits(bounds.size).width.rounded(.up)
    serverLabel.frame = Rect(x: x - 12 - labelWidth, y: middle - 12, width: labelWidth, height: 24)
  }

  private func layOut(_ control: SegmentedControl, x: Double, middle: Double, end: Double) {
    let width = min(width(of: control), max(0, end - x))
    control.frame = Rect(x: x, y: middle - 20, width: width, height: 40)
  }
}
