public import VitrineGraphics

/// A line of text at the lower left of an image, and optionally another view at the lower right, over a dark gradient
/// that keeps both legible: their contrast is at least 4.5 on any image, if they are white.
///
/// ```swift
/// let caption = CaptionView()
/// caption.text = "Lighthouse"
/// caption.trailingView = ClockLabel { .local }
/// let height = caption.sizeThatFits(bounds.size).height
/// caption.frame = Rect(x: 0, y: bounds.height - height, width: bounds.width, height: height)
/// ```
///
/// Touches pass through. Without a text and without a view, nothing is drawn.
open class CaptionView: View {
  /// The text; empty by default. Text that does not fit is truncated.
  public var text: String {
    get { label.text }
    set {
      guard newValue != text else { return }
      label.text = newValue
      setNeedsDisplay()
      setNeedsLayout()
    }
  }
  /// The font of the text; bold, 24 points by default.
  public var font: Font {
    get { label.font }
    set {
      guard newValue != font else { return }
      label.font = newValue
      setNeedsLayout()
    }
  }
  /// The view at the right, such as a `ClockLabel`; `nil` by default. Placed at its fitting size.
  public var trailingView: View? {
    didSet {
      guard trailingView !== oldValue else { return }
      oldValue?.removeFromSuperview()
      if let trailingView { addSubview(trailingView) }
      setNeedsDisplay()
    }
  }
  /// The distances of the contents from the edges, in points. The gradient fills the distance at the top; below, its
  /// darkest color fills the view.
  public var insets = Insets(top: 56, left: 32, bottom: 24, right: 32) {
    didSet { if insets != oldValue { setNeedsLayout() } }
  }

  private let label = Label("", font: .bold(24))
  /// The distance of the contents from the upper edge.
  private var gradientHeight = 0.0 { didSet { if gradientHeight != oldValue { setNeedsDisplay() } } }
  /// The distance between the text and the trailing view in points.
  private static let gap = 24.0

  /// Creates a view without a text.
  public override init(frame: Rect = .zero) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
    addSubview(label)
  }

  /// Returns the given width, and the height of the contents with their insets.
  open override func sizeThatFits(_ size: Size) -> Size {
    Size(width: size.width, height: insets.top + contentHeight + insets.bottom)
  }

  /// The height of a line of text does not depend on the text, so that the gradient stays when the text changes.
  private var contentHeight: Double {
    let line = window?.textMeasuring.size(of: "", font: font).height ?? font.size * 1.25
    return max(line.rounded(.up), trailingSize.height)
  }

  private var trailingSize: Size { trailingView?.sizeThatFits(bounds.size) ?? .zero }

  /// Places the text and the trailing view at the lower edge, and the gradient above them. Overrides must call `super`.
  open override func layoutSubviews() {
    let (height, trailing) = (contentHeight, trailingSize)
    let top = bounds.height - insets.bottom - height
    gradientHeight = top
    let right = bounds.width - insets.right
    trailingView?.frame = Rect(
      x: right - trailing.width, y: top + (height - trailing.height) / 2, width: trailing.width,
      height: trailing.height)
    let end = trailing.width > 0 ? right - trailing.width - Self.gap : right
    label.frame = Rect(x: insets.left, y: top, width: max(0, end - insets.left), height: height)
  }

  /// Draws the gradient.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    guard !text.isEmpty || trailingView != nil else { return }
    Veil.draw(in: bounds, height: gradientHeight, into: &list)
  }
}
