public import VitrineGraphics

/// A spinner above the content of a scroll view: a finger that pulls the content down far enough asks for new content.
///
/// ```swift
/// let refresh = RefreshControl()
/// refresh.addAction(for: .valueChanged) { _ in reload() }
/// list.refreshControl = refresh
/// // … when the new content is there:
/// refresh.endRefreshing()
/// ```
///
/// While a finger pulls, tooth after tooth appears; at `trigger` points it begins to turn, and `.valueChanged` is
/// sent, once a pull. The content stays below it until `endRefreshing()`. Disabled, it cannot be pulled.
open class RefreshControl: Control {
  /// Points that the content makes room for it while it refreshes.
  public static let height = 56.0
  /// How far the content has to be pulled past its end, in points that it has moved; a quarter of a view that is lower
  /// than four times that.
  public static let trigger = 72.0

  /// Of the spinner; a light grey by default.
  public var color = Color(hex: 0xC9CFDA) { didSet { if color != oldValue { appearanceDidChange() } } }
  /// Whether new content is on its way.
  public private(set) var isRefreshing = false

  private weak var scrollView: ScrollView?
  private let player: IndicatorPlayer
  /// Points that it is pulled, while it waits for enough of them.
  private var pull = 0.0
  /// Whether this pull has been answered: it takes another one to refresh again.
  private var isSpent = false
  var binding: ActivityBinding?

  /// A control that nobody pulls yet.
  public init() {
    player = IndicatorPlayer(Self.drawing(color))
    super.init(frame: .zero)
    isUserInteractionEnabled = false
    isHidden = true
  }

  /// Shows that new content is on its way, as when the program has asked for it itself: no event is sent. Content that
  /// is at its upper end makes room. A second call does nothing.
  public func beginRefreshing() {
    guard !isRefreshing else { return }
    isRefreshing = true
    scrollView?.refreshInset = Self.height
    place()
    setNeedsDisplay()
  }

  /// The new content is there: the room above it closes. Does nothing where nothing is on its way.
  public func endRefreshing() {
    guard isRefreshing else { return }
    isRefreshing = false
    player.stop()
    scrollView?.refreshInset = 0
    place()
    setNeedsDisplay()
  }

  /// Refreshes as if somebody had pulled, for a key or a button: begins, and sends `.valueChanged`. Does nothing while
  /// it is disabled, or refreshes already.
  public func refresh() {
    guard isEnabled, !isRefreshing else { return }
    beginRefreshing()
    sendActions(for: [.valueChanged, .primaryActionTriggered])
  }

  // MARK: The scroll view

  func enter(_ scrollView: ScrollView) {
    // A control serves one view.
    if let other = self.scrollView, other !== scrollView { other.refreshControl = nil }
    self.scrollView = scrollView
    scrollView.addSubview(self)
    if isRefreshing { scrollView.refreshInset = Self.height }
    place()
  }

  func leave() {
    removeFromSuperview()
    scrollView?.refreshInset = 0
    scrollView = nil
    pull = 0
    isHidden = true
  }

  func scrollViewDidScroll() { place() }

  /// A finger has moved the content.
  func scrollViewDidPull() {
    guard isEnabled, let scrollView else { return }
    guard !isRefreshing, !isSpent, gap >= min(Self.trigger, scrollView.bounds.height / 4) else { return }
    isSpent = true
    refresh()
  }

  func pullDidEnd() { isSpent = false }

  /// How far the content is from the upper edge of the view, insets apart.
  private var gap: Double {
    guard let scrollView else { return 0 }
    return -scrollView.contentInsets.top - scrollView.bounds.minY
  }

  /// It fills the gap above the content, so that the spinner is in its middle.
  private func place() {
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

  /// Tooth after tooth while it is pulled, then the spinner.
  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    if isRefreshing { return player.draw(in: self, room: bounds, into: &list) }
    guard let scrollView else { return }
    let scale = window?.scale ?? 1
    // Any pull is enough in a view without height.
    let share = min(1, pull / min(Self.trigger, scrollView.bounds.height / 4))
    guard share > 0, !isSpent else { return }
    let teeth = Int((share * Double(SpinnerArtwork.frameCount)).rounded(.down))
    guard teeth > 0 else { return }
    let size = Self.drawing(color).size(in: bounds.size, scale: scale)
    let image = SpinnerArtwork.growing(
      teeth: teeth, diameter: Int((size.width * scale).rounded()), color: color)
    list.draw(
      DrawList.Picture(
        image: image,
        destination: Rect(
          x: bounds.midX - size.width / 2, y: bounds.midY - size.height / 2, width: size.width,
          height: size.height)))
  }

  /// `progress`.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.progress) }
    set { super.accessibilityRole = newValue }
  }
  /// `busy` while new content is on its way.
  open override var accessibilityStates: AccessibilityStates {
    isRefreshing ? super.accessibilityStates.union(.busy) : super.accessibilityStates
  }

  /// False: it is pulled, or asked by `refresh()`.
  open override var canBecomeFocused: Bool { false }
}
