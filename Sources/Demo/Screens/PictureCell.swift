import Vitrine

/// A row of the list: picture, title, detail. A tap selects it.
final class PictureCell: ListCell {
  static let height = 96.0

  let picture = ImageView()
  private let title = Label("", font: Theme.title, color: Theme.text)
  private let detail = Label("", font: Theme.body, color: Theme.secondaryText)
  private let mark = View()
  private let line = View()
  private var outcome: ScriptState = .loading

  /// Whether it was tapped an odd number of times.
  var isChosen = false { didSet { if isChosen != oldValue { stateDidChange() } } }

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    selectionColor = nil
    highlightColor = nil
    picture.cornerRadius = 8
    picture.backgroundColor = Theme.tile
    mark.backgroundColor = Theme.accent
    mark.cornerRadius = 2
    mark.isHidden = true
    line.backgroundColor = Theme.line
    for view in [picture, title, detail, mark, line] { addSubview(view) }
  }

  /// Shows an item; what the cell showed before is gone at once.
  func show(_ item: FeedItem, failure: Image?) {
    title.text = item.title
    detail.text = item.detail
    outcome = .loading
    var options = SlotOptions()
    options.failureImage = failure
    picture.setImage(from: item.url, options: options) { [weak self] result in
      switch result {
      case .success: self?.outcome = .loaded
      case .failure(.cancelled): break
      case .failure: self?.outcome = .failed
      }
    }
  }

  override func didEndDisplaying() {
    super.didEndDisplaying()
    picture.imageURL = nil
  }

  override func stateDidChange() {
    super.stateDidChange()
    mark.isHidden = !isChosen
    backgroundColor = isHighlighted ? Theme.tile : isChosen ? Theme.card : nil
  }

  override func layoutSubviews() {
    let left = 24.0
    picture.frame = Rect(x: left, y: 8, width: 120, height: bounds.height - 16)
    let textX = picture.frame.maxX + 24
    let textWidth = max(0, bounds.width - textX - 24)
    title.frame = Rect(x: textX, y: 24, width: textWidth, height: 24)
    detail.frame = Rect(x: textX, y: 52, width: textWidth, height: 20)
    mark.frame = Rect(x: 8, y: 24, width: 4, height: bounds.height - 48)
    line.frame = Rect(x: textX, y: bounds.height - 1, width: max(0, bounds.width - textX), height: 1)
  }
}

extension PictureCell: ScriptNamed {
  var scriptTitle: String { title.text }
  var scriptStates: Set<ScriptState> {
    var states: Set<ScriptState> = [outcome]
    if isHighlighted { states.insert(.highlighted) }
    if isChosen { states.insert(.selected) }
    if hasCursor { states.insert(.focused) }
    return states.count > 1 ? states : [outcome, .normal]
  }
}
