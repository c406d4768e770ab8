public import VitrineGraphics

/// One or more lines of text, vertically centered in the bounds.
///
/// Text that does not fit is truncated with an ellipsis. Text is measured when text, font or size change, not when it
/// is drawn, so a list can scroll many labels. Touches pass through.
open class Label: View {
  /// The text; empty by default. Newlines start a new line if `numberOfLines` permits several.
  public var text: String {
    get { block.text }
    set { if newValue != text { change { $0.text = newValue } } }
  }
  /// The font; regular, 15 points by default.
  public var font: Font {
    get { block.font }
    set { if newValue != font { change { $0.font = newValue } } }
  }
  /// The color of the text; white by default.
  public var textColor: Color = .white { didSet { if textColor != oldValue { setNeedsDisplay() } } }
  /// The horizontal alignment of each line; left by default.
  public var alignment: TextAlignment = .left {
    didSet { if alignment != oldValue { setNeedsDisplay() } }
  }
  /// The maximum number of lines; 0 allows as many as fit the height. 1 by default.
  public var numberOfLines: Int {
    get { block.maximumLines }
    set { if newValue != numberOfLines { change { $0.maximumLines = max(0, newValue) } } }
  }

  /// The role `.text`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.text) }
    set { super.accessibilityRole = newValue }
  }
  /// The label that was set, or else the text; `nil` if the text is empty.
  open override var accessibilityLabel: String? {
    get { super.accessibilityLabel ?? (text.isEmpty ? nil : text) }
    set { super.accessibilityLabel = newValue }
  }

  private var block = TextBlock(font: .regular(15))

  /// Creates an empty label with a frame in the coordinates of the superview.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
  }

  /// Creates a label with a text and an empty frame.
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

  /// The lines as they are drawn, truncated where necessary.
  public var lines: [String] { layout().lines.map(\.text) }

  /// Returns the size of the text in at most `size.width` points; the height is not limited. Outside a window the size
  /// is an estimate, because only the host can measure the font.
  open override func sizeThatFits(_ size: Size) -> Size {
    let fitting = block.layout(width: size.width, in: window).size
    return Size(width: min(size.width, fitting.width.rounded(.up)), height: fitting.height.rounded(.up))
  }

  /// Draws the image, if there is one, and the text over it.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    guard !text.isEmpty else { return }
    let layout = layout()
    let height = layout.size.height
    // A line that is larger than the label must not be drawn outside the redrawn area.
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
