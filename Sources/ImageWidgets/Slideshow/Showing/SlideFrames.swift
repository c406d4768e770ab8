import VitrineWidgets

/// A frame observer of a slideshow. A slideshow has several: one for the time at which the next slide is due, and others
/// while something moves.
final class SlideFrames: FrameObserver {
  private let keepsBusy: Bool
  private let step: (SlideshowPlayer, Double) -> NextFrame
  weak var player: SlideshowPlayer?

  /// - Parameters:
  ///   - keepsBusy: True if the window counts as busy while frames are requested.
  ///   - step: Called with the time of each frame. Returns the time of the next call.
  init(keepsBusy: Bool, step: @escaping (SlideshowPlayer, Double) -> NextFrame) {
    self.keepsBusy = keepsBusy
    self.step = step
  }

  /// Requests a frame at a time, in place of the one requested before; `nil` requests none.
  func request(at time: Double?, in window: Window) {
    if let time {
      window.requestFrames(for: self, at: time, keepsBusy: keepsBusy)
    } else {
      window.cancelFrames(for: self)
    }
  }

  func frame(at now: Double) -> NextFrame { player.map { step($0, now) } ?? .never }
}
