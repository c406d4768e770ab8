import VitrineGraphics

/// A text with a cached layout, measured again only when text, font, available size, scale or measuring change.
struct TextBlock {
  var text = "" { didSet { if text != oldValue { layout = nil } } }
  var font: Font { didSet { if font != oldValue { layout = nil } } }
  /// The maximum number of lines; 0 for no limit.
  var maximumLines = 1

  private var layout: TextLayout?
  /// The limits and the measuring for which the layout was made.
  private var limit = 0
  private var measuring: ObjectIdentifier?
  private var scale = 1.0

  init(font: Font) { self.font = font }

  /// Returns the layout for a width and for as many lines as fit `height`, at least one, measured by `window`. Without
  /// a window the measures are estimates.
  mutating func layout(width: Double, height: Double = .infinity, in window: Window?) -> TextLayout {
    let measuring = window?.textMeasuring ?? Self.estimatedMeasuring
    let scale = window?.scale ?? 1
    if let layout, self.measuring == ObjectIdentifier(measuring), self.scale == scale {
      let limit = limit(height: height, lineHeight: layout.lineHeight)
      if layout.isValid(width: width, maximumLines: limit) { return layout }
      if layout.width == width, self.limit == limit { return layout }
    }
    limit = limit(height: height, lineHeight: measuring.size(of: "", font: font).height)
    self.measuring = ObjectIdentifier(measuring)
    self.scale = scale
    let new = TextLayout(text, font: font, width: width, maximumLines: limit, measuring: measuring)
    layout = new
    return new
  }

  /// Returns the smaller of both limits; 0 for no limit.
  private func limit(height: Double, lineHeight: Double) -> Int {
    guard height.isFinite, lineHeight > 0 else { return maximumLines }
    let fittingLines = height / lineHeight + 0.01
    let availableLines = fittingLines > 1 ? Int(min(fittingLines, 1e6)) : 1
    return maximumLines == 0 ? availableLines : min(maximumLines, availableLines)
  }

  private static let estimatedMeasuring = MonospaceMeasuring()
}
