import Vitrine

/// The contents of a page whose image cannot be loaded: the failure image of the tiles, and the reason below.
final class ViewerFailure: View {
  private let image = ImageView()
  private let label = Label("", font: .regular(17), color: Theme.text)
  private static let largestImage = Size(width: 240, height: 180)
  /// The smallest height in points of an image that is worth its space.
  private static let leastHeight = 30.0

  init(_ failure: Image?) {
    super.init()
    isUserInteractionEnabled = false
    image.image = failure
    image.contentMode = .fill
    image.cornerRadius = 8
    image.isAccessibilityHidden = true
    label.alignment = .center
    label.numberOfLines = 0
    for view in [image, label] as [View] { addSubview(view) }
  }

  func show(_ reason: StaleReason) {
    label.text = ImageStatus.failed(reason).text
    setNeedsLayout()
  }

  override func didMoveToWindow() {
    super.didMoveToWindow()
    // Texts are measured as the window draws them.
    setNeedsLayout()
  }

  override func layoutSubviews() {
    let margin = Theme.unit * 3
    let width = max(0, bounds.width - 2 * margin)
    let textHeight = label.sizeThatFits(Size(width: width, height: bounds.height)).height.rounded(.up)
    let largest = Self.largestImage
    // Half of a low page is left to the bars.
    let scale = min(
      1, width / largest.width, (bounds.height / 2 - textHeight - margin) / largest.height)
    image.isHidden = image.image == nil || largest.height * scale < Self.leastHeight
    let size = image.isHidden ? .zero : largest * scale
    let gap = image.isHidden ? 0 : margin
    let top = ((bounds.height - size.height - gap - textHeight) / 2).rounded()
    image.frame = Rect(
      x: ((bounds.width - size.width) / 2).rounded(), y: top, width: size.width, height: size.height)
    label.frame = Rect(x: margin, y: top + size.height + gap, width: width, height: textHeight)
  }
}
