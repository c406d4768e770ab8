import Vitrine

/// A cell that shows the image of a feed item. A tap toggles the selection. Scripts find the cell by the item's title.
class FeedCell: ListCell {
  let image = ImageView()
  private var outcome: ScriptState = .loading
  private(set) var scriptTitle = ""

  /// True if the item is selected by tapping.
  var isChosen = false { didSet { if isChosen != oldValue { stateDidChange() } } }

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    selectionColor = nil
    highlightColor = nil
    image.backgroundColor = Theme.tile
    addSubview(image)
  }

  /// Shows an item. The image of the previous item is removed at once.
  func show(_ item: FeedItem, failure: Image?) {
    scriptTitle = item.title
    outcome = .loading
    var options = SlotOptions()
    options.failureImage = failure
    image.setImage(from: item.url, options: options) { [weak self] result in
      switch result {
      case .success: self?.outcome = .loaded
      case .failure(.cancelled): break
      case .failure: self?.outcome = .failed
      }
    }
  }

  override var accessibilityStates: AccessibilityStates {
    // The list's own selected row is only the keyboard focus.
    let states = super.accessibilityStates.subtracting(.selected)
    return isChosen ? states.union(.selected) : states
  }

  override func didEndDisplaying() {
    super.didEndDisplaying()
    image.imageURL = nil
  }
}

extension FeedCell: ScriptNamed {
  var scriptStates: Set<ScriptState> {
    var states: Set<ScriptState> = [outcome]
    if isHighlighted { states.insert(.highlighted) }
    if isChosen { states.insert(.selected) }
    if hasCursor { states.insert(.focused) }
    return states.count > 1 ? states : [outcome, .normal]
  }
}
