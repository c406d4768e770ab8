import Vitrine

/// A row of the list, with an image, a title and details.
final class ImageCell: FeedCell {
  static let height = 96.0
  static let imageSize = Size(width: 120, height: 80)
  /// The minimum width in points for a separate column of details at the right.
  private static let wide = 640.0

  private let title = Label("", font: Theme.title, color: Theme.text)
  private let detail = Label("", font: Theme.body, color: Theme.secondaryText)
  private let mark = View()
  private let line = View()

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    image.cornerRadius = 8
    mark.backgroundColor = Theme.accent
    mark.cornerRadius = 2
    mark.isHidden = true
    line.backgroundColor = Theme.line
    for view in [title, detail, mark, line] { addSubview(view) }
  }

  override func update(_ item: Feed.Item) {
    super.update(item)
    title.text = item.title
    detail.text = item.detail
  }

  override func stateDidChange() {
    super.stateDidChange()
    mark.isHidden = !isChosen
    backgroundColor = isHighlighted ? Theme.tile : isChosen ? Theme.card : nil
  }

  override func layoutSubviews() {
    let margin = 24.0
    image.frame = Rect(origin: Point(x: margin, y: 8), size: Self.imageSize)
    let textX = image.frame.maxX + margin
    let textWidth = max(0, bounds.width - textX - margin)
    let isWide = bounds.width >= Self.wide
    detail.alignment = isWide ? .right : .left
    if isWide {
      let titleWidth = ((textWidth - margin) / 2).rounded()
      title.frame = Rect(x: textX, y: 36, width: titleWidth, height: 24)
      let detailX = title.frame.maxX + margin
      detail.frame = Rect(x: detailX, y: 38, width: bounds.width - margin - detailX, height: 20)
    } else {
      title.frame = Rect(x: textX, y: 24, width: textWidth, height: 24)
      detail.frame = Rect(x: textX, y: 52, width: textWidth, height: 20)
    }
    mark.frame = Rect(x: 8, y: 24, width: 4, height: bounds.height - 48)
    line.frame = Rect(x: textX, y: bounds.height - 1, width: max(0, bounds.width - textX), height: 1)
  }
}
