public import VitrineGraphics

/// A label that shows the time of day. It changes at the beginning of each minute, and wakes the window for nothing else.
///
/// ```swift
/// caption.trailingView = ClockLabel { .local }
/// ```
open class ClockLabel: Label {
  private let time: () -> ClockTime
  private let format: (ClockTime) -> String
  private var timer: WindowTimer?
  /// The minimum number of seconds between two readings. A timer may fire a moment before the minute begins.
  private static let shortestDelay = 0.1

  /// Creates a label, aligned to the right.
  ///
  /// - Parameters:
  ///   - font: The font; bold, 24 points by default.
  ///   - format: Returns the text of a time; by default `ClockTime.text`.
  ///   - time: Returns the current time, in a program `ClockTime.local`. Called at the beginning of each minute, and when
  ///     the label enters a window.
  public init(
    font: Font = .bold(24), format: @escaping (ClockTime) -> String = { $0.text },
    time: @escaping () -> ClockTime
  ) {
    self.time = time
    self.format = format
    super.init(frame: .zero)
    self.font = font
    alignment = .right
    text = format(time())
  }

  /// Reads the time again, for example after the system's clock was set.
  public func update() {
    timer?.cancel()
    timer = nil
    let now = time()
    let text = format(now)
    if text != self.text {
      self.text = text
      superview?.setNeedsLayout()
    }
    let delay = max(Self.shortestDelay, now.secondsToNextMinute)
    timer = window?.after(delay) { [weak self] in self?.update() }
  }

  /// Starts the clock in a window, and stops it outside of one.
  open override func didMoveToWindow() {
    super.didMoveToWindow()
    update()
  }
}
