import Vitrine

/// A tile of the strip. The tile of the image that the slideshow shows has a frame; a pressed tile is darker; a tile
/// that a long press has selected is lighter and has a tick. Scripts find the tile by the title of its image.
final class HomeTile: Control, FeedImage {
  let image = ImageView()
  /// The row of the image in the feed. Set by the strip.
  var row = 0
  /// True if keys act on the tile: it is at the cursor of a strip that has the focus.
  var hasCursor = false { didSet { if hasCursor != oldValue { stateDidChange() } } }
  /// True while the image is shown over the whole window, and its tile is empty.
  var isOpen = false { didSet { if isOpen != oldValue { stateDidChange() } } }

  /// True if the image is selected by a long press.
  var isChosen = false { didSet { if isChosen != oldValue { stateDidChange() } } }

  private let veil = TileVeil()
  private(set) var item = Feed.Item(url: "")
  var imageState = FeedImageState()

  init() {
    super.init()
    accessibilityRole = .button
    image.backgroundColor = Theme.tile
    image.borderColor = Theme.text
    image.isUserInteractionEnabled = false
    image.isAccessibilityHidden = true
    addSubview(image)
    addSubview(veil)
    stateDidChange()
  }

  /// Shows the title of an item.
  func update(_ item: Feed.Item) {
    self.item = item
    accessibilityLabel = item.title
  }

  /// Shows an item. The image of the previous item is removed at once.
  func show(_ item: Feed.Item, failure: Image?) {
    update(item)
    imageState = FeedImageState()
    var options = SlotOptions()
    options.failureImage = failure
    image.setImage(from: item.url, options: options) { [weak self] in
      self?.imageState.note($0, of: item.url)
    }
  }

  func imageStateDidChange() {}

  /// Cancels the load and forgets the states, before the tile is used for another item.
  func clear() {
    image.imageURL = nil
    (isSelected, hasCursor, isOpen, isChosen) = (false, false, false, false)
  }

  // The strip has the focus, and its cursor is at one of the tiles.
  override var canBecomeFocused: Bool { false }
  override var state: ControlState { hasCursor ? super.state.union(.focused) : super.state }

  override func stateDidChange() {
    super.stateDidChange()
    image.alpha = isOpen ? 0 : 1
    veil.show(isPressed: isHighlighted && !isOpen, isTicked: isChosen && !isOpen)
    image.borderWidth = isSelected ? 3 : 0
  }

  override func layoutSubviews() {
    cornerRadius = min(10, (bounds.height / 8).rounded())
    for view in [image, veil] {
      view.frame = bounds
      view.cornerRadius = cornerRadius
    }
  }

  override var accessibilityStates: AccessibilityStates {
    isChosen ? super.accessibilityStates.union(.selected) : super.accessibilityStates
  }
}

extension HomeTile: ScriptNamed {
  var scriptTitle: String { item.title }
  var scriptStates: Set<ScriptState> {
    let states = ScriptState.states(of: self).union([imageState.outcome])
    return isChosen ? states.subtracting([.normal]).union([.selected]) : states
  }
}
