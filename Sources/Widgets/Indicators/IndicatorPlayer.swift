package import VitrineGraphics

/// Shows an indicator over a view, as part of the view's own drawing.
///
/// Each drawing requests the frame of the next change. An indicator that is hidden, scrolled out of view or in no
/// window is not drawn and therefore costs nothing; it continues when it becomes visible again.
package final class IndicatorPlayer: FrameObserver {
  /// The appearance. A change takes effect with the next drawing.
  package var drawing: any IndicatorDrawing
  /// True for a drawing of the application, which is clipped to its frame.
  private let isCustom: Bool
  private var motion = ProgressMotion()
  private weak var view: View?
  private var drawnRect = Rect.zero

  package init(_ drawing: any IndicatorDrawing, isCustom: Bool = false) {
    self.drawing = drawing
    self.isCustom = isCustom
  }

  /// The reported progress, also while its animation is running; `nil` while unknown.
  package var progress: Double? { motion.goal }

  /// Reports progress. NaN counts as unknown; other values are clamped to 0…1.
  package func setProgress(_ progress: Double?, animated: Bool) {
    guard motion.setProgress(progress, at: view?.window?.now ?? 0, animated: animated && view?.window != nil)
    else { return }
    view?.setNeedsDisplay(drawnRect)
  }

  /// Draws the current moment centered in `bounds`, in the coordinates of `view`, and requests the frame of the next
  /// change.
  ///
  /// - Parameter isPlaying: False to draw the indicator standing still.
  package func draw(in view: View, bounds: Rect, isPlaying: Bool = true, into list: inout DrawList) {
    let scale = view.window?.scale ?? 1
    let now = view.window?.now ?? 0
    let size = drawing.size(in: bounds.size, scale: scale)
    // The comparisons also reject NaN.
    guard size.width > 0, size.height > 0 else { return }
    let (width, height) = (min(size.width, bounds.width), min(size.height, bounds.height))
    let rect = Rect(x: bounds.midX - width / 2, y: bounds.midY - height / 2, width: width, height: height)
    self.view = view
    drawnRect = rect
    guard list.isVisible(rect) else { return }
    let moment = IndicatorMoment(time: isPlaying ? now : 0, progress: motion.value(at: now), scale: scale)
    if isCustom {
      list.draw(within: rect) { drawing.draw(moment, in: rect, into: &$0) }
    } else {
      drawing.draw(moment, in: rect, into: &list)
    }
    if isPlaying, let window = view.window { schedule(moment, in: window) }
  }

  /// Cancels the request for the next frame.
  package func stop() { view?.window?.cancelFrames(for: self) }

  private func schedule(_ moment: IndicatorMoment, in window: Window) {
    let isAnimating = motion.isAnimating(at: window.now)
    guard let next = isAnimating ? window.now : drawing.nextChange(after: moment), !next.isNaN,
      next < .infinity
    else { return window.cancelFrames(for: self) }
    // A slow drawing pauses for four times the duration of a frame, so that it leaves most of the time to other work.
    let pause = max(window.frameInterval, window.frameWorkDuration * 4)
    window.requestFrames(for: self, at: max(next, window.now + pause), keepsBusy: isAnimating)
  }

  /// Marks the indicator's frame to be redrawn.
  package func frame(at now: Double) -> NextFrame {
    view?.setNeedsDisplay(drawnRect)
    return .never
  }
}
