public import VitrineGraphics

/// A spinner that shows that work is in progress.
///
/// While animating and visible, the indicator requests twelve frames per second, otherwise none.
open class ActivityIndicator: View {
  /// The size at which the spinner is drawn, centered in the bounds.
  public nonisolated enum Style: Hashable, Sendable {
    /// 20 points, for small slots and next to a line of text.
    case medium
    /// 37 points, for the middle of an image.
    case large

    /// The diameter in points, 20 or 37 as in UIKit.
    package var diameter: Double { self == .medium ? 20 : 37 }

    /// Returns the style for a slot: `large` from 128 points on, `medium` from 12 points on, `nil` for smaller slots.
    package static func suiting(_ size: Size) -> Style? {
      let side = min(size.width, size.height)
      return side >= 128 ? .large : side >= 12 ? .medium : nil
    }
  }

  /// The style; `medium` by default.
  public var style: Style {
    didSet {
      spinner.diameter = style.diameter
      spinnerDidChange()
    }
  }
  /// The color of the brightest tooth; white by default.
  public var color: Color {
    get { spinner.color }
    set {
      spinner.color = newValue
      spinnerDidChange()
    }
  }
  /// True if nothing is drawn while the indicator is stopped; otherwise the spinner stands still. True by default.
  public var hidesWhenStopped = true { didSet { if !isAnimating { setNeedsDisplay() } } }
  /// True while the spinner turns.
  public private(set) var isAnimating = false

  private var spinner: SpinnerDrawing
  private let player: IndicatorPlayer
  var binding: ActivityBinding?

  /// Creates an indicator with the size of the style.
  public init(style: Style = .medium) {
    self.style = style
    spinner = SpinnerDrawing(color: .white, diameter: style.diameter)
    player = IndicatorPlayer(spinner)
    super.init(frame: Rect(x: 0, y: 0, width: style.diameter, height: style.diameter))
    isUserInteractionEnabled = false
  }

  /// Starts the animation. Calls are not counted: one stop ends the animation.
  public func startAnimating() { setAnimating(true) }
  /// Stops the animation; does nothing if the indicator is stopped.
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
    // The spinner has the size of its style, also in smaller bounds.
    let side = style.diameter + 1
    let spinnerBounds = Rect(x: bounds.midX - side / 2, y: bounds.midY - side / 2, width: side, height: side)
    player.draw(in: self, bounds: spinnerBounds, isPlaying: isAnimating, into: &list)
  }

  /// The role `.progress`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.progress) }
    set { super.accessibilityRole = newValue }
  }
  /// The states of super, and `busy` while the spinner turns.
  open override var accessibilityStates: AccessibilityStates {
    isAnimating ? super.accessibilityStates.union(.busy) : super.accessibilityStates
  }
  /// True also while the indicator is invisible because it is stopped.
  open override var isAccessibilityHidden: Bool {
    get { super.isAccessibilityHidden || (hidesWhenStopped && !isAnimating) }
    set { super.isAccessibilityHidden = newValue }
  }

  /// Returns the diameter of the style in both directions.
  open override func sizeThatFits(_ size: Size) -> Size {
    Size(width: style.diameter, height: style.diameter)
  }
}
