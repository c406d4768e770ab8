public import VitrineGraphics

/// Says how far something is, as a bar or as a ring.
///
/// ```swift
/// let bar = ProgressView(style: .bar)
/// bar.setProgress(0.3, animated: true)
/// bar.setProgress(withProgressOf: task)
/// ```
///
/// It takes frames only while it moves and can be seen.
open class ProgressView: View {
  /// What it looks like.
  public nonisolated enum Style: Hashable, Sendable {
    /// 4 points high, as wide as the bounds, in their middle.
    case bar
    /// 37 points across, or as much as fits into the bounds, in their middle.
    case ring
  }

  /// A bar by default.
  public var style: Style { didSet { if style != oldValue { appearanceDidChange() } } }
  /// Of what is done; white by default.
  public var color: Color { didSet { if color != oldValue { appearanceDidChange() } } }
  /// Of what is not done yet; nil, the default, takes a quarter of `color`.
  public var trackColor: Color? { didSet { if trackColor != oldValue { appearanceDidChange() } } }
  /// Diameter of a ring, in points: 37 by default, as a large `ActivityIndicator`.
  public var ringDiameter = 37.0 { didSet { if ringDiameter != oldValue { appearanceDidChange() } } }

  /// From 0 to 1, pinned; 0 by default. Setting it shows it at once.
  public var progress: Double {
    get { storedProgress }
    set { setProgress(newValue, animated: false) }
  }
  /// Whether it moves without an end in sight, as for an answer that does not tell its length; `progress` is kept
  /// meanwhile. False by default.
  public var isIndeterminate = false {
    didSet { if isIndeterminate != oldValue { show(animated: false) } }
  }

  private var storedProgress = 0.0
  private let player: IndicatorPlayer
  var binding: ActivityBinding?

  /// A view at progress 0: as large as its ring, or a bar of 160 points.
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

  /// Goes to a progress, at once or in 0.25 s; pinned to 0…1, and 0 for what is no number.
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
    player.draw(in: self, room: bounds, into: &list)
  }

  /// `progress`.
  open override var accessibilityRole: AccessibilityRole {
    get { role(.progress) }
    set { super.accessibilityRole = newValue }
  }
  /// What was set, or else how far it is, as `40%`; nil where there is no end in sight.
  open override var accessibilityValue: String? {
    get { super.accessibilityValue ?? (isIndeterminate ? nil : "\(Int((storedProgress * 100).rounded()))%") }
    set { super.accessibilityValue = newValue }
  }
  /// `busy` while there is no end in sight.
  open override var accessibilityStates: AccessibilityStates {
    isIndeterminate ? super.accessibilityStates.union(.busy) : super.accessibilityStates
  }

  /// A bar takes all the width that there is and 4 points of height, a ring its diameter both ways.
  open override func sizeThatFits(_ size: Size) -> Size {
    switch style {
    case .bar: Size(width: size.width, height: ProgressBarDrawing.thickness)
    case .ring: Size(width: ringDiameter, height: ringDiameter)
    }
  }
}
