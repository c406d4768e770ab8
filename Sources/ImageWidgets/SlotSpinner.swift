import VitrineGraphics
import VitrineWidgets

/// The spinner over a slot, as long as its timing says. It turns by being drawn; frames are asked for only when
/// it comes and while it goes.
final class SlotSpinner: FrameObserver {
  private weak var slot: ImageSlot?
  /// By whose time it goes.
  private(set) weak var window: Window?
  private let spinner: Spinner
  private var timing: SpinnerTiming

  init(slot: ImageSlot, indicator: SlotOptions.Indicator, in window: Window) {
    self.slot = slot
    self.window = window
    spinner = Spinner(color: indicator.color, diameter: ActivityIndicator.Style.medium.diameter)
    timing = SpinnerTiming(
      delay: indicator.delay, minimumDuration: indicator.minimumDuration, loadStart: window.now)
  }

  /// Asks for the first frame in which something is seen.
  func start() { window?.requestFrames(for: self, at: timing.appears, keepsBusy: false) }

  /// The load is over: the spinner goes, at once if it has not been seen.
  func end() {
    guard let window else { return }
    timing.end(at: window.now)
    window.requestFrames(for: self, at: window.now, keepsBusy: true)
  }

  /// Nobody sees it any more.
  func stop() { window?.cancelFrames(for: self) }

  func frame(at now: Double) -> NextFrame {
    slot?.spinnerDidChange()
    guard let disappears = timing.disappears else { return .never }
    if now < disappears { return .soon }
    slot?.spinnerDidEnd(self)
    return .never
  }

  /// Whether there is something to see at a time.
  func isVisible(at now: Double) -> Bool { timing.opacity(at: now) > 0 }

  /// Draws it in the middle of a slot: small in small slots, not at all in tiny ones.
  func draw(in rect: Rect, of view: View, at now: Double, into list: inout DrawList) {
    let side = min(rect.width, rect.height)
    guard side >= 12 else { return }
    let style: ActivityIndicator.Style = side >= 128 ? .large : .medium
    spinner.diameter = style.diameter
    list.enter(origin: .zero, opacity: timing.opacity(at: now), clip: nil)
    spinner.draw(in: view, at: rect.center, into: &list)
    list.leave()
  }
}
