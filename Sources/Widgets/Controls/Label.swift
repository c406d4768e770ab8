public import VitrineGraphics

/// Text on one line or several, vertically centred in its bounds.
///
/// Text that does not fit ends with an ellipsis. It is measured when text, font or width change, not when it
/// is drawn, so a list can scroll many labels. Touches pass through.
open class Label: View {
  /// Line ends start a new line where there may be more than one.
  public var text: String {
    get { block.text }
    set { if newValue != text { change { $0.text = newValue } } }
  }
  /// Regular, 15 points by default.
  public var font: Font {
    get { block.font }
    set { if newValue != font { change { $0.font = newValue } } }
  }
  /// White by default.
  public var textColor: Color = .white { didSet { if textColor != oldValue { setNeedsDisplay() } } }
  /// Left by default.
  public var alignment: TextAlignment = .left {
    didSet { if alignment != oldValue { setNeedsDisplay() } }
  }
  /// At most so many lines; 0 for as many as the bounds are high. 1 by default.
  public var numberOfLines: Int {
    get { block.maximumLines }
    set { if newValue != numberOfLines { change { $0.maximumLines = max(0, newValue) } } }
  }

  /// `text`.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.text) }
    set { super.accessibilityRole = newValue }
  }
  /// The text; nil without any.
  open override var accessibilityLabel: String? {
    get { super.accessibilityLabel ?? (text.isEmpty ? nil : text) }
    set { super.accessibilityLabel = newValue }
  }

  private var block = TextBlock(font: .regular(15))

  /// An empty label, in the coordinates of its superview, that lets touches through.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
  }

  /// A label with a text, to be placed later.
  public convenience init(_ text: String, font: Font = .regular(15), color: Color = .white) {
    self.init()
    block.text = text
    block.font = font
    textColor = color
  }

  private func change(_ body: (inout TextBlock) -> Void) {
    body(&block)
    setNeedsDisplay()
  }

  /// The lines as they are drawn now.
  public var lines: [String] { layout().lines.map(\.text) }

  /// What the text needs in at most `size.width`; the height is not limited. Outside a window a guess, since
  /// only the host knows the font.
  open override func sizeThatFits(_ size: Size) -> Size {
    let fitting = block.layout(width: size.width, in: window).size
    return Size(width: min(size.width, fitting.width.rounded(.up)), height: fitting.height.rounded(.up))
  }

  /// Draws the picture, if there is one, and the text over it.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    guard !text.isEmpty else { return }
    let layout = layout()
    let height = layout.size.height
    // A line that is larger than the label must not leave the area that is drawn again with it.
    let isTooLarge = height > bounds.height || layout.size.width > bounds.width
    if isTooLarge { list.enter(origin: .zero, opacity: 1, clip: bounds) }
    var y = bounds.midY - height / 2
    for line in layout.lines {
      let x = bounds.minX + alignment.offset(of: line.width, in: bounds.width)
      list.text(
        line.text, font: font, color: textColor, at: Point(x: x, y: y),
        size: Size(width: line.width, height: layout.lineHeight))
      y += layout.lineHeight
    }
    if isTooLarge { list.leave() }
  }

  private func layout() -> TextLayout {
    block.layout(width: bounds.width, height: bounds.height, in: window)
  }
}
