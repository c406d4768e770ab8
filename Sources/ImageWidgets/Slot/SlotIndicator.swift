import VitrineGraphics
import VitrineWidgets

/// The indicator over a slot during one load.
///
/// Each drawing of the indicator schedules the next one. This class requests frames only when the indicator appears and
/// while it fades out.
final class SlotIndicator: FrameObserver {
  private weak var slot: ImageSlot?
  /// The window whose time controls the indicator.
  private(set) weak var window: Window?
  private let player: IndicatorPlayer
  private var timing: IndicatorTiming
  /// True if the indicator has been drawn.
  private(set) var wasDrawn = false

  /// Returns `nil` for an indicator of the kind `none`.
  init?(slot: ImageSlot, indicator: SlotOptions.Indicator, in window: Window) {
    guard let player = indicator.player else { return nil }
    self.slot = slot
    self.window = window
    self.player = player
    timing = IndicatorTiming(
      delay: indicator.delay, minimumDuration: indicator.minimumDuration, loadStart: window.now)
  }

  /// Requests the frame in which the indicator appears.
  func start() { window?.requestFrames(for: self, at: timing.appears, keepsBusy: false) }

  /// Updates the progress, from 0 to 1; `nil` if the length of the response is unknown.
  func report(_ progress: Double?) { player.setProgress(progress, animated: true) }

  /// Begins the fade-out at the end of the load; an indicator that has not appeared yet never appears. If an image was
  /// loaded, an indicator with known progress shows 100 %.
  func end(isLoaded: Bool) {
    guard let window else { return }
    if isLoaded, player.progress != nil { player.setProgress(1, animated: false) }
    timing.end(at: window.now)
    window.requestFrames(for: self, at: window.now, keepsBusy: true)
  }

  /// Removes the indicator without a fade-out.
  func stop() {
    window?.cancelFrames(for: self)
    player.stop()
  }

  func frame(at now: Double) -> NextFrame {
    slot?.indicatorDidChange()
    guard let disappears = timing.disappears else { return .never }
    if now < disappears { return .soon }
    player.stop()
    slot?.indicatorDidEnd(self)
    return .never
  }

  /// True if the indicator has an opacity above 0 at the time `now`.
  func isVisible(at now: Double) -> Bool { timing.opacity(at: now) > 0 }

  /// Draws the indicator in the center of the slot's frame `rect`.
  func draw(in rect: Rect, of view: View, at now: Double, into list: inout DrawList) {
    wasDrawn = true
    list.enter(origin: .zero, opacity: timing.opacity(at: now), clip: nil)
    player.draw(in: view, bounds: rect, into: &list)
    list.leave()
  }
}

extension SlotOptions.Indicator {
  /// Returns true if the indicator is shown over an image, or if there is none.
  func isShown(over image: Image?) -> Bool {
    if case .automatic = kind { image == nil } else { true }
  }

  fileprivate var player: IndicatorPlayer? {
    switch kind {
    case .automatic, .activity: IndicatorPlayer(SpinnerDrawing(color: color))
    case .bar: IndicatorPlayer(ProgressBarDrawing(color: color))
    case .ring: IndicatorPlayer(ProgressRingDrawing(color: color))
    case .custom(let drawing): IndicatorPlayer(drawing, isCustom: true)
    case .none: nil
    }
  }
}
