import FoundationEssentials
import Vitrine

/// A cell that shows the image of a feed item. A tap opens the image, a long press toggles the selection. Scripts find the cell by the item's title.
class FeedCell: ListCell, FeedImage {
  let image = ImageView()
  var imageState = FeedImageState()
  /// Called when `status` may have changed.
  var onStatusChange: (FeedCell) -> Void = { _ in }
  private(set) var item = Feed.Item(url: "")

  /// The status of the image.
  var status: ImageStatus {
    if let failureReason = imageState.failureReason, isFailed { return .failed(failureReason) }
    // The server is being asked whether a stored image is up to date.
    if let reason = origin.staleReason, reason != .waiting { return .stored(origin.age, reason) }
    guard origin.source != nil, let image = image.image else { return .loading }
    return .loaded(
      image.format, width: image.sourceWidth, height: image.sourceHeight, taken: image.metadata?.captureTime)
  }

  /// Called when `status` may have changed. Overrides show the status, and call super.
  func statusDidChange() { onStatusChange(self) }

  var scriptTitle: String { item.title }

  /// True while the image is shown over the whole window, and its cell is empty.
  var isOpen = false { didSet { if isOpen != oldValue { image.alpha = isOpen ? 0 : 1 } } }

  /// True if the item is selected by a long press.
  var isChosen = false { didSet { if isChosen != oldValue { stateDidChange() } } }

  required init(frame: Rect = .zero) {
    super.init(frame: frame)
    selectionColor = nil
    highlightColor = nil
    image.backgroundColor = Theme.tile
    addSubview(image)
  }

  /// Shows the texts of an item.
  func update(_ item: Feed.Item) { self.item = item }

  /// Shows an item. The image of the previous item is removed at once.
  final func show(_ item: Feed.Item, failure: Image?) {
    update(item)
    imageState = FeedImageState()
    statusDidChange()
    var options = SlotOptions()
    options.failureImage = failure
    image.setImage(from: item.url, options: options) { [weak self] result in self?.note(result) }
  }

  /// Asks the server whether the image has changed. The shown image stays until a new image has arrived.
  func revalidate(failure: Image?) {
    guard origin.source != nil, var request = try? ImageRequest(item.url) else {
      return show(item, failure: failure)
    }
    request.cachePolicy = .refresh
    var options = SlotOptions()
    options.placeholderPolicy = .keepsPrevious
    image.setImage(from: request, options: options) { [weak self] result in self?.note(result) }
  }

  private func note(_ result: Result<ImageResponse, ImageError>) {
    imageState.note(result, of: item.url)
    statusDidChange()
  }

  func imageStateDidChange() { statusDidChange() }

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
    var states: Set<ScriptState> = [imageState.outcome]
    if isHighlighted { states.insert(.highlighted) }
    if isChosen { states.insert(.selected) }
    if hasCursor { states.insert(.focused) }
    return states.count > 1 ? states : [imageState.outcome, .normal]
  }
}
