import VitrineGraphics
import VitrineWidgets

/// The spinner over a slot, as long as its timing says.
final class SlotSpinner: FrameObserver {
  private weak var slot: ImageSlot?
  private let color: Color
  private var timing: SpinnerTiming
  private var now: Double

  init(slot: ImageSlot, indicator: SlotOptions.Indicator, now: Double) {
    self.slot = slot
    self.now = now
    color = indicator.color
    timing = SpinnerTiming(
      delay: indicator.delay, minimumDuration: indicator.minimumDuration, loadStart: now)
  }

  /// Asks for the first frame in which something is seen.
  func start(in window: Window) {
    window.requestFrames(for: self, at: timing.appears, keepsBusy: false)
  }

  /// The load is over: the spinner goes, at once if it has not been seen.
  func end(in window: Window?) {
    timing.end(at: window?.now ?? now)
    guard let window else { return }
    window.requestFrames(for: self, at: window.now, keepsBusy: true)
  }

  func frame(at now: Double) -> NextFrame {
    self.now = now
    slot?.spinnerDidChange()
    guard let disappears = timing.disappears else {
      return .at(now + 1 / Double(SpinnerArtwork.frameCount))
    }
    if now >= disappears {
      slot?.spinnerDidEnd(self)
      return .never
    }
    return .soon
  }

  /// Whether there is something to see in the frame being drawn.
  var isVisible: Bool { timing.opacity(at: now) > 0 }

  /// Draws the tooth wheel in the middle of a rectangle; small in small slots.
  func draw(in rect: Rect, scale: Double, into list: inout DrawList) {
    let opacity = timing.opacity(at: now)
    guard opacity > 0, min(rect.width, rect.height) >= 12 else { return }
    let diameter = min(rect.width, rect.height) >= 96 ? 37.0 : 20.0
    let image = SpinnerArtwork.frame(
      index: Int(now * Double(SpinnerArtwork.frameCount)) % SpinnerArtwork.frameCount,
      diameter: Int((diameter * scale).rounded()), color: color)
    let place = Rect(
      x: (rect.midX - diameter / 2).rounded(), y: (rect.midY - diameter / 2).rounded(), width: diameter,
      height: diameter)
    list.draw(DrawList.Picture(image: image, destination: place, opacity: opacity))
  }
}
