import Vitrine

/// The title of an image and its number, on a dark strip that keeps them legible over any image.
final class ViewerCaption: View {
  private let title = Label("", font: Theme.title, color: Theme.text)
  private let detail = Label("", font: Theme.body, color: Theme.text.multiplyingAlpha(by: 0.75))
  private let number = Label("", font: Theme.body, color: Theme.text.multiplyingAlpha(by: 0.75))

  init() {
    super.init()
    isUserInteractionEnabled = false
    number.alignment = .right
    for view in [title, detail, number] { addSubview(view) }
  }

  func show(_ item: Feed.Item, number: Int, of count: Int) {
    title.text = item.title
    detail.text = item.detail
    self.number.text = "\(number) of \(count)"
  }

  /// Darker towards the bottom edge.
  override func draw(into list: inout DrawList) {
    let steps = 11
    for step in 0..<steps {
      let top = bounds.height * Double(step) / Double(steps)
      let opacity = 0.6 * Double(step + 1) / Double(steps)
      list.fill(
        Rect(x: 0, y: top, width: bounds.width, height: bounds.height / Double(steps)),
        color: Color.black.multiplyingAlpha(by: opacity))
    }
    super.draw(into: &list)
  }

  override func layoutSubviews() {
    let margin = 24.0
    let numberWidth = 140.0
    number.frame = Rect(x: bounds.width - margin - numberWidth, y: 48, width: numberWidth, height: 20)
    let width = max(0, bounds.width - 2 * margin)
    title.frame = Rect(x: margin, y: 24, width: width, height: 24)
    detail.frame = Rect(x: margin, y: 48, width: max(0, number.frame.minX - margin), height: 20)
  }
}
