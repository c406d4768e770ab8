public import VitrineGraphics

/// A spinner that says that something is going on.
///
/// It takes twelve frames a second while it turns and can be seen, and none otherwise.
open class ActivityIndicator: View {
  /// How large it is drawn, centred in the bounds.
  public nonisolated enum Style: Hashable, Sendable {
    /// 20 points: beside a line of text, in a small slot.
    case medium
    /// 37 points: alone in the middle of a picture.
    case large

    /// 20 and 37 points, as in UIKit.
    public var diameter: Double { self == .medium ? 20 : 37 }

    /// What fits into a slot; nil for one that is too small for any.
    package static func suiting(_ room: Size) -> Style? {
      let side = min(room.width, room.height)
      return side >= 128 ? .large : side >= 12 ? .medium : nil
    }
  }

  /// Medium by default.
  public var style: Style {
    didSet {
      spinner.diameter = style.diameter
      spinnerDidChange()
    }
  }
  /// White by default.
  public var color: Color {
    get { spinner.color }
    set {
      spinner.color = newValue
      spinnerDidChange()
    }
  }
  /// Whether nothing is drawn while it does not turn; otherwise it stands still. True by default.
  public var hidesWhenStopped = true { didSet { if !isAnimating { setNeedsDisplay() } } }
  /// Whether it turns.
  public private(set) var isAnimating = false

  private var spinner: SpinnerDrawing
  private let player: IndicatorPlayer
  var binding: ActivityBinding?

  /// An indicator as large as its style.
  public init(style: Style = .medium) {
    self.style = style
    spinner = SpinnerDrawing(color: .white, diameter: style.diameter)
    player = IndicatorPlayer(spinner)
    super.init(
      frame: Rect(x: 0, y: 0, width: style.diameter, height: style.diameter))
    isUserInteractionEnabled = false
  }

  /// Starts turning; a second call does nothing, and one stop ends it all the same.
  public func startAnimating() { setAnimating(true) }
  /// Stops; does nothing where it does not turn.
  public func stopAnimating() { setAnimating(false) }

  private func setAnimating(_ value: Bool) {
    guard value != isAnimating else { return }
    isAnimating = value
    if !value { player.stop() }
    setNeedsDisplay()
  }

  private func spinnerDidChange() {
    player.drawing = spinner
    setNeedsDisplay()
  }

  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    guard isAnimating || !hidesWhenStopped else { return }
    // It is as large as its style, whatever room there is.
    let side = style.diameter + 1
    let room = Rect(x: bounds.midX - side / 2, y: bounds.midY - side / 2, width: side, height: side)
    player.draw(in: self, room: room, isPlaying: isAnimating, into: &list)
  }

  /// `progress`.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.progress) }
    set { super.accessibilityRole = newValue }
  }
  /// `busy` while it turns.
  open override var accessibilityStates: AccessibilityStates {
    isAnimating ? super.accessibilityStates.union(.busy) : super.accessibilityStates
  }
  /// Also while there is nothing to be seen of it.
  open override var isAccessibilityHidden: Bool {
    get { super.isAccessibilityHidden || (hidesWhenStopped && !isAnimating) }
    set { super.isAccessibilityHidden = newValue }
  }

  /// The diameter of the style.
  open override func sizeThatFits(_ size: Size) -> Size {
    Size(width: style.diameter, height: style.diameter)
  }
}
