public import VitrineGraphics

/// A spinner above the content of a scroll view: pulling the content down far enough requests new content.
///
/// ```swift
/// let refresh = RefreshControl()
/// refresh.addAction(for: .valueChanged) { _ in reload() }
/// list.refreshControl = refresh
/// // … when the new content is there:
/// refresh.endRefreshing()
/// ```
///
/// During a pull, the teeth of the spinner appear one after another. At 72 points the spinner starts to turn and
/// `.valueChanged` is sent, once per pull. The content stays below the control until `endRefreshing()`. A disabled
/// control cannot be pulled.
open class RefreshControl: Control {
  /// The height in points that is reserved above the content while refreshing.
  package static let height = 56.0
  /// The distance in points by which the content must move beyond the upper end to trigger a refresh. In a scroll view
  /// lower than four times this distance, a quarter of the height suffices.
  package static let trigger = 72.0

  /// The color of the spinner; a light gray by default.
  public var color = Color(hex: 0xC9CFDA) { didSet { if color != oldValue { appearanceDidChange() } } }
  /// True while new content is being loaded.
  public private(set) var isRefreshing = false

  private weak var scrollView: ScrollView?
  private let player: IndicatorPlayer
  /// The distance in points by which the content is pulled down.
  private var pull = 0.0
  /// True if the current pull has already triggered a refresh; the next refresh needs another pull.
  private var hasTriggered = false
  var binding: ActivityBinding?

  /// Creates a hidden control. Assign it to `ScrollView.refreshControl`.
  public init() {
    player = IndicatorPlayer(Self.drawing(color))
    super.init(frame: .zero)
    isUserInteractionEnabled = false
    isHidden = true
  }

  /// Shows that new content is being loaded, for example after a request by the application itself; no event is sent.
  /// Content at its upper end moves down to make room. Does nothing while refreshing.
  public func beginRefreshing() {
    guard !isRefreshing else { return }
    isRefreshing = true
    scrollView?.refreshInset = Self.height
    updateFrame()
    setNeedsDisplay()
  }

  /// Ends the refreshing and closes the space above the content. Does nothing if the control is not refreshing.
  public func endRefreshing() {
    guard isRefreshing else { return }
    isRefreshing = false
    player.stop()
    scrollView?.refreshInset = 0
    updateFrame()
    setNeedsDisplay()
  }

  /// Starts a refresh as a pull does, for example for a key or a button, and sends `.valueChanged`. Does nothing if the
  /// control is disabled or refreshing.
  public func refresh() {
    guard isEnabled, !isRefreshing else { return }
    beginRefreshing()
    sendActions(for: [.valueChanged, .primaryActionTriggered])
  }

  // MARK: The scroll view

  func attach(to scrollView: ScrollView) {
    // A control serves one scroll view at a time.
    if let other = self.scrollView, other !== scrollView { other.refreshControl = nil }
    self.scrollView = scrollView
    scrollView.addSubview(self)
    if isRefreshing { scrollView.refreshInset = Self.height }
    updateFrame()
  }

  func detach() {
    removeFromSuperview()
    scrollView?.refreshInset = 0
    scrollView = nil
    pull = 0
    isHidden = true
  }

  func scrollViewDidScroll() { updateFrame() }

  /// Called when a finger has moved the content. Triggers the refresh once the pull is long enough.
  func scrollViewDidPull() {
    guard isEnabled, let scrollView else { return }
    guard !isRefreshing, !hasTriggered, gap >= min(Self.trigger, scrollView.bounds.height / 4) else { return }
    hasTriggered = true
    refresh()
  }

  func pullDidEnd() { hasTriggered = false }

  /// The distance of the content from the upper edge of the view, without `contentInsets`.
  private var gap: Double {
    guard let scrollView else { return 0 }
    return -scrollView.contentInsets.top - scrollView.bounds.minY
  }

  /// Fills the gap above the content, so that the spinner is in the middle of the gap.
  private func updateFrame() {
    guard let scrollView else { return }
    let gap = gap
    isHidden = gap <= 0 || (!isEnabled && !isRefreshing)
    guard !isHidden else { return }
    let height = max(gap, Self.height)
    frame = Rect(
      x: scrollView.bounds.minX, y: -scrollView.contentInsets.top - height, width: scrollView.bounds.width,
      height: height)
    if !isRefreshing, gap != pull { setNeedsDisplay() }
    pull = gap
  }

  // MARK: Drawing

  private static func drawing(_ color: Color) -> SpinnerDrawing {
    SpinnerDrawing(color: color, diameter: ActivityIndicator.Style.medium.diameter + 4)
  }

  private func appearanceDidChange() {
    player.drawing = Self.drawing(color)
    setNeedsDisplay()
  }

  /// Draws the visible teeth during a pull, or the turning spinner while refreshing.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    if isRefreshing { return player.draw(in: self, bounds: bounds, into: &list) }
    guard let scrollView else { return }
    let scale = window?.scale ?? 1
    // In a view without height, any pull triggers a refresh.
    let fraction = min(1, pull / min(Self.trigger, scrollView.bounds.height / 4))
    guard fraction > 0, !hasTriggered else { return }
    let teeth = Int((fraction * Double(SpinnerArtwork.frameCount)).rounded(.down))
    guard teeth > 0 else { return }
    let size = Self.drawing(color).size(in: bounds.size, scale: scale)
    let image = SpinnerArtwork.growing(
      teeth: teeth, diameter: Int((size.width * scale).rounded()), color: color)
    list.draw(
      DrawList.ImageCommand(
        image: image,
        destination: Rect(
          x: bounds.midX - size.width / 2, y: bounds.midY - size.height / 2, width: size.width,
          height: size.height)))
  }

  /// The role `.progress`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.progress) }
    set { super.accessibilityRole = newValue }
  }
  /// The states of super, and `busy` while refreshing.
  open override var accessibilityStates: AccessibilityStates {
    isRefreshing ? super.accessibilityStates.union(.busy) : super.accessibilityStates
  }

  /// False: the control is operated by pulling or by `refresh()`.
  open override var canBecomeFocused: Bool { false }
}
