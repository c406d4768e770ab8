public import VitrineGraphics

/// A view that shows progress as a bar or a ring.
///
/// ```swift
/// let bar = ProgressView(style: .bar)
/// bar.setProgress(0.3, animated: true)
/// bar.setProgress(withProgressOf: task)
/// ```
///
/// The view requests frames only while it animates and is visible.
open class ProgressView: View {
  /// The shape of the indicator.
  public nonisolated enum Style: Hashable, Sendable {
    /// A bar of 4 points height, as wide as the bounds and vertically centered.
    case bar
    /// A ring with the diameter `ringDiameter`, at most as large as the bounds, centered.
    case ring
  }

  /// The style; `bar` by default.
  public var style: Style { didSet { if style != oldValue { appearanceDidChange() } } }
  /// The color of the completed part; white by default.
  public var color: Color { didSet { if color != oldValue { appearanceDidChange() } } }
  /// The color of the remaining part; `nil`, the default, uses `color` with a quarter of its alpha.
  public var trackColor: Color? { didSet { if trackColor != oldValue { appearanceDidChange() } } }
  /// The diameter of a ring in points; 37 by default, as a large `ActivityIndicator`.
  public var ringDiameter = 37.0 { didSet { if ringDiameter != oldValue { appearanceDidChange() } } }

  /// The progress, clamped to 0…1; 0 by default. A new value is shown at once.
  public var progress: Double {
    get { storedProgress }
    set { setProgress(newValue, animated: false) }
  }
  /// True if the view animates without showing a value, for example for a response of unknown length. `progress` keeps
  /// its value. False by default.
  public var isIndeterminate = false {
    didSet { if isIndeterminate != oldValue { show(animated: false) } }
  }

  private var storedProgress = 0.0
  private let player: IndicatorPlayer
  var binding: ActivityBinding?

  /// Creates a view with progress 0. A bar is 160 points wide; a ring has its diameter.
  public init(style: Style = .bar, color: Color = .white) {
    self.style = style
    self.color = color
    player = IndicatorPlayer(ProgressBarDrawing(color: color, fillsWidth: true))
    super.init(frame: .zero)
    isUserInteractionEnabled = false
    frame.size = sizeThatFits(Size(width: 160, height: 37))
    player.setProgress(0, animated: false)
    appearanceDidChange()
  }

  /// Sets the progress, shown at once or animated for 0.25 s. Values are clamped to 0…1; NaN counts as 0.
  public func setProgress(_ progress: Double, animated: Bool) {
    storedProgress = progress.isNaN ? 0 : min(1, max(0, progress))
    show(animated: animated)
  }

  private func show(animated: Bool) {
    player.setProgress(isIndeterminate ? nil : storedProgress, animated: animated)
  }

  private func appearanceDidChange() {
    player.drawing =
      switch style {
      case .bar: ProgressBarDrawing(color: color, track: trackColor, fillsWidth: true)
      case .ring: ProgressRingDrawing(color: color, track: trackColor, diameter: max(4, ringDiameter))
      }
    setNeedsDisplay()
  }

  open override func draw(into list: inout DrawList) {
    super.draw(into: &list)
    player.draw(in: self, bounds: bounds, into: &list)
  }

  /// The role `.progress`, unless another role was set.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.progress) }
    set { super.accessibilityRole = newValue }
  }
  /// The value that was set, or else the progress, for example `40%`; `nil` while indeterminate.
  open override var accessibilityValue: String? {
    get { super.accessibilityValue ?? (isIndeterminate ? nil : "\(Int((storedProgress * 100).rounded()))%") }
    set { super.accessibilityValue = newValue }
  }
  /// The states of super, and `busy` while indeterminate.
  open override var accessibilityStates: AccessibilityStates {
    isIndeterminate ? super.accessibilityStates.union(.busy) : super.accessibilityStates
  }

  /// Returns the available width and 4 points of height for a bar, and the diameter in both directions for a ring.
  open override func sizeThatFits(_ size: Size) -> Size {
    switch style {
    case .bar: Size(width: size.width, height: ProgressBarDrawing.thickness)
    case .ring: Size(width: ringDiameter, height: ringDiameter)
    }
  }
}
