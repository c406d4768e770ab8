import VitrineGraphics

/// Text with its layout, measured again only when text, font, size or the way of measuring change.
struct TextBlock {
  var text = "" { didSet { if text != oldValue { layout = nil } } }
  var font: Font { didSet { if font != oldValue { layout = nil } } }
  /// 0 for as many as it takes.
  var maximumLines = 1

  private var layout: TextLayout?
  /// What the layout was made with.
  private var limit = 0
  private var measuring: ObjectIdentifier?
  private var scale = 1.0

  init(font: Font) { self.font = font }

  /// The lines in a width, and in the lines that a height has room for (at least one), as `window` measures;
  /// without a window by a guess.
  mutating func layout(width: Double, height: Double = .infinity, in window: Window?) -> TextLayout {
    let measuring = window?.textMeasuring ?? Self.guess
    let scale = window?.scale ?? 1
    if let layout, self.measuring == ObjectIdentifier(measuring), self.scale == scale {
      let limit = limit(height: height, lineHeight: layout.lineHeight)
      if layout.holds(width: width, maximumLines: limit) { return layout }
      if layout.width == width, self.limit == limit { return layout }
    }
    limit = limit(height: height, lineHeight: measuring.size(of: "", font: font).height)
    self.measuring = ObjectIdentifier(measuring)
    self.scale = scale
    let new = TextLayout(text, font: font, width: width, maximumLines: limit, measuring: measuring)
    layout = new
    return new
  }

  /// The smaller of both limits; 0 for none.
  private func limit(height: Double, lineHeight: Double) -> Int {
    guard height.isFinite, lineHeight > 0 else { return maximumLines }
    let fitting = height / lineHeight + 0.01
    let room = fitting > 1 ? Int(min(fitting, 1e6)) : 1
    return maximumLines == 0 ? room : min(maximumLines, room)
  }

  private static let guess = MonospaceMeasuring()
}
