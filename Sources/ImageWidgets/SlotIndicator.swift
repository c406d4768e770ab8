import VitrineGraphics
import VitrineWidgets

/// The indicator over a slot, as long as its timing says. It moves by being drawn; frames are asked for only when
/// it comes and while it goes.
final class SlotIndicator: FrameObserver {
  private weak var slot: ImageSlot?
  /// By whose time it goes.
  private(set) weak var window: Window?
  private let player: IndicatorPlayer
  private var timing: IndicatorTiming

  /// Nil where none is wanted.
  init?(slot: ImageSlot, indicator: SlotOptions.Indicator, in window: Window) {
    guard let player = indicator.player else { return nil }
    self.slot = slot
    self.window = window
    self.player = player
    timing = IndicatorTiming(
      delay: indicator.delay, minimumDuration: indicator.minimumDuration, loadStart: window.now)
  }

  /// Asks for the first frame in which something is seen.
  func start() { window?.requestFrames(for: self, at: timing.appears, keepsBusy: false) }

  /// More has come; nil where nobody knows of how much.
  func report(_ progress: Double?) { player.setProgress(progress, animated: true) }

  /// The load is over: the indicator goes, at once if it has not been seen. One that showed how much was there shows
  /// that all of it is.
  func end(isLoaded: Bool) {
    guard let window else { return }
    if isLoaded, player.progress != nil { player.setProgress(1, animated: false) }
    timing.end(at: window.now)
    window.requestFrames(for: self, at: window.now, keepsBusy: true)
  }

  /// Nobody sees it any more.
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

  /// Whether there is something to see at a time.
  func isVisible(at now: Double) -> Bool { timing.opacity(at: now) > 0 }

  /// Draws it in the middle of a slot.
  func draw(in rect: Rect, of view: View, at now: Double, into list: inout DrawList) {
    list.enter(origin: .zero, opacity: timing.opacity(at: now), clip: nil)
    player.draw(in: view, room: rect, into: &list)
    list.leave()
  }
}

extension SlotOptions.Indicator {
  fileprivate var player: IndicatorPlayer? {
    switch kind {
    case .activity: IndicatorPlayer(SpinnerDrawing(color: color))
    case .bar: IndicatorPlayer(ProgressBarDrawing(color: color))
    case .ring: IndicatorPlayer(ProgressRingDrawing(color: color))
    case .custom(let drawing): IndicatorPlayer(drawing, isForeign: true)
    case .none: nil
    }
  }
}
