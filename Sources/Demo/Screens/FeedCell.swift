import FoundationEssentials
import Vitrine

/// A cell that shows the image of a feed item. A tap opens the image, a long press toggles the selection. Scripts find the cell by the item's title.
class FeedCell: ListCell {
  let image = ImageView()
  private var outcome: ScriptState = .loading
  /// The reason why there is no image; `nil` unless loading has failed.
  private var failureReason: StaleReason?
  /// Called when `status` may have changed.
  var onStatusChange: (FeedCell) -> Void = { _ in }
  private var item = Feed.Item(url: "")
  /// The source of the shown image; `nil` until there is one.
  private(set) var source: ImageResponse.Source?
  /// The reason why the shown image is stale; `nil` if it is not.
  private(set) var staleReason: StaleReason?
  /// The age of the shown image when it arrived, and the time of its arrival in nanoseconds; `nil` unless the image was
  /// stored before.
  private var arrival: (age: StoredAge, time: Int64)?
  private let clock = SystemLoadingClock()
  var isFailed: Bool { outcome == .failed }

  /// The status of the image.
  var status: ImageStatus {
    if let failureReason, isFailed { return .failed(failureReason) }
    // The server is being asked whether a stored image is up to date.
    if let staleReason, staleReason != .waiting { return .stored(age, staleReason) }
    guard source != nil, let image = image.image else { return .loading }
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
    outcome = .loading
    (source, staleReason, arrival, failureReason) = (nil, nil, nil, nil)
    statusDidChange()
    var options = SlotOptions()
    options.failureImage = failure
    image.setImage(from: item.url, options: options) { [weak self] result in self?.note(result) }
  }

  /// Asks the server whether the image has changed. The shown image stays until a new image has arrived.
  func revalidate(failure: Image?) {
    guard source != nil, var request = try? ImageRequest(item.url) else {
      return show(item, failure: failure)
    }
    request.cachePolicy = .refresh
    var options = SlotOptions()
    options.placeholderPolicy = .keepsPrevious
    image.setImage(from: request, options: options) { [weak self] result in self?.note(result) }
  }

  private func note(_ result: Result<ImageResponse, ImageError>) {
    switch result {
    case .success(let response):
      outcome = .loaded
      note(response)
    case .failure(.cancelled): break
    // A failed revalidation keeps the shown image.
    case .failure(let error) where source != nil: staleReason = StaleReason(error, of: item.url)
    case .failure(let error):
      outcome = .failed
      failureReason = StaleReason(error, of: item.url)
    }
    statusDidChange()
  }

  private func note(_ response: ImageResponse) {
    source = response.source
    staleReason = if case .stale(_, let reason) = response.freshness { StaleReason(reason) } else { nil }
    arrival = response.age.map { ($0, clock.now) }
  }

  /// The current age of the shown image; `nil` unless the image was stored before.
  var age: StoredAge? {
    arrival.map { StoredAge(seconds: $0.age.seconds + Double(clock.now - $0.time) / 1e9) }
  }

  /// Updates the cell if its slot shows a response to a request that was sent again automatically.
  func didRecover(_ response: ImageResponse) {
    guard response.image === image.image || response.http?.url.absoluteString == item.url else { return }
    outcome = .loaded
    note(response)
    statusDidChange()
  }

  /// Notes why the cell still shows a stale image.
  func didFailToRefresh(_ shown: Image, because error: ImageError) {
    guard shown === image.image, staleReason != nil else { return }
    staleReason = StaleReason(error, of: item.url)
    statusDidChange()
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
