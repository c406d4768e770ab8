import Vitrine

/// A row of the list, with an image, a title, a caption and the status of the image.
final class ImageCell: FeedCell {
  /// The height of the lowest rows in points.
  static let height = ImageRow.small.height

  private let title = Label("", color: Theme.text)
  private let detail = Label("", color: Theme.secondaryText)
  private let note = Label("", color: Theme.secondaryText)
  private let mark = View()
  private let line = View()

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    image.cornerRadius = 8
    mark.backgroundColor = Theme.accent
    mark.cornerRadius = 2
    mark.isHidden = true
    line.backgroundColor = Theme.line
    for view in [title, detail, note, mark, line] { addSubview(view) }
  }

  override func update(_ item: Feed.Item) {
    super.update(item)
    title.text = item.title
    detail.text = item.detail
  }

  override func statusDidChange() {
    super.statusDidChange()
    let status = status
    note.text = status.text
    note.textColor = status.isProblem ? Theme.warning : Theme.secondaryText
  }

  override func stateDidChange() {
    super.stateDidChange()
    mark.isHidden = !isChosen
    backgroundColor = isHighlighted ? Theme.tile : isChosen ? Theme.card : nil
  }

  override func layoutSubviews() {
    let row = ImageRow.ofHeight(bounds.height)
    let frames = row.frames(inWidth: bounds.width)
    image.frame = frames.image
    for (label, line, frame) in [
      (title, row.title, frames.title), (detail, row.detail, frames.detail), (note, row.note, frames.note),
    ] {
      label.font = line.font
      label.frame = frame
    }
    mark.frame = Rect(x: frames.margin / 3, y: 24, width: 4, height: bounds.height - 48)
    let left = frames.title.minX
    line.frame = Rect(x: left, y: bounds.height - 1, width: max(0, bounds.width - left), height: 1)
  }
}
