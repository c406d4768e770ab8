package import VitrineGraphics

/// Shows an indicator over a view, as part of the view's own drawing.
///
/// Being drawn is what keeps it moving: each drawing asks for the next change. An indicator that is hidden, scrolled
/// away or whose view has left the window therefore costs nothing, and goes on when it is seen again.
package final class IndicatorPlayer: FrameObserver {
  /// A change is seen with the next drawing.
  package var drawing: any IndicatorDrawing
  /// Whether it is somebody else's, and kept from drawing outside its place.
  private let isForeign: Bool
  private var motion = ProgressMotion()
  private weak var view: View?
  private var place = Rect.zero

  package init(_ drawing: any IndicatorDrawing, isForeign: Bool = false) {
    self.drawing = drawing
    self.isForeign = isForeign
  }

  /// Where the progress is, or is going to; nil while it is not known.
  package var progress: Double? { motion.goal }

  /// Reports progress; what is no number counts as unknown, what is out of 0…1 is pinned.
  package func setProgress(_ progress: Double?, animated: Bool) {
    guard motion.go(to: progress, at: view?.window?.now ?? 0, animated: animated && view?.window != nil)
    else { return }
    view?.setNeedsDisplay(place)
  }

  /// Draws the moment in the middle of `room`, in `view`'s coordinates, and asks for the next one.
  ///
  /// - Parameter isPlaying: whether it moves; if not, what stands still is drawn.
  package func draw(in view: View, room: Rect, isPlaying: Bool = true, into list: inout DrawList) {
    let scale = view.window?.scale ?? 1
    let now = view.window?.now ?? 0
    let size = drawing.size(in: room.size, scale: scale)
    // Not a number is not above 0 either.
    guard size.width > 0, size.height > 0 else { return }
    let (width, height) = (min(size.width, room.width), min(size.height, room.height))
    let rect = Rect(
      x: room.midX - width / 2, y: room.midY - height / 2, width: width, height: height)
    self.view = view
    place = rect
    guard list.isVisible(rect) else { return }
    let moment = IndicatorMoment(
      time: isPlaying ? now : 0, progress: motion.value(at: now), scale: scale)
    if isForeign {
      list.draw(within: rect) { drawing.draw(moment, in: rect, into: &$0) }
    } else {
      drawing.draw(moment, in: rect, into: &list)
    }
    if isPlaying, let window = view.window { schedule(moment, in: window) }
  }

  /// Ends the calls for further moments.
  package func stop() { view?.window?.cancelFrames(for: self) }

  private func schedule(_ moment: IndicatorMoment, in window: Window) {
    let isUnderWay = motion.isUnderWay(at: window.now)
    guard let next = isUnderWay ? window.now : drawing.nextChange(after: moment), !next.isNaN,
      next < .infinity
    else { return window.cancelFrames(for: self) }
    // What is slow to draw leaves most of the time to others.
    let pause = max(window.frameInterval, window.frameWork * 4)
    window.requestFrames(for: self, at: max(next, window.now + pause), keepsBusy: isUnderWay)
  }

  /// The next moment: what it covers is drawn again.
  package func frame(at now: Double) -> NextFrame {
    view?.setNeedsDisplay(place)
    return .never
  }
}
