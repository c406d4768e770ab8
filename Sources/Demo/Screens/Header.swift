import Vitrine

/// The bar at the top: the name, the screens, the server's mood, and a button that empties the cache.
final class Header: View {
  private let name = Label("Vitrine", font: .bold(22), color: Theme.text)
  private let screens: SegmentedControl
  private let serverLabel = Label("Server", font: Theme.body, color: Theme.secondaryText)
  private let moods: SegmentedControl?
  private let clear = PillButton(title: "Clear cache")
  private let line = View()

  /// - Parameter onMood: nil for a feed that is not served by the demo's own server.
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
    for view in [name, screens, serverLabel, moods, clear, line].compactMap({ $0 }) { addSubview(view) }
  }

  func choose(screen index: Int) { screens.selection = index }

  override func layoutSubviews() {
    let middle = bounds.height / 2
    name.frame = Rect(x: 24, y: middle - 16, width: 112, height: 32)
    place(screens, x: 144)
    var right = bounds.width - 24
    let clearWidth = clear.sizeThatFits(bounds.size).width
    clear.frame = Rect(x: right - clearWidth, y: middle - 16, width: clearWidth, height: 32)
    right -= clearWidth + 24
    if let moods {
      let width = moods.sizeThatFits(bounds.size).width
      place(moods, x: right - width)
      right -= width + 12
      let labelWidth = serverLabel.sizeThatFits(bounds.size).width.rounded(.up)
      serverLabel.frame = Rect(x: right - labelWidth, y: middle - 12, width: labelWidth, height: 24)
      serverLabel.isHidden = serverLabel.frame.minX < screens.frame.maxX + 16
    }
    line.frame = Rect(x: 0, y: bounds.height - 1, width: bounds.width, height: 1)
  }

  private func place(_ control: SegmentedControl, x: Double) {
    control.frame = Rect(
      x: x, y: bounds.height / 2 - 20, width: control.sizeThatFits(bounds.size).width, height: 40)
  }
}
