import VitrineGraphics
import VitrineWidgets

/// The slides on the screen: the shown one, and during a transition the outgoing one.
///
/// Time is passed by the caller, in seconds of the window.
struct SlideStage {
  private struct Change {
    let transition: Transition
    /// The time of the first frame, so that a slide that arrives while the window sleeps gets the whole transition.
    var start: Double?
    var progress = 0.0
  }

  private(set) var shown: StagedSlide?
  private(set) var outgoing: StagedSlide?
  private var change: Change?

  /// True while one slide changes into another.
  var isChanging: Bool { change != nil }

  /// True in the first half of a transition from one slide to another.
  var showsOutgoing: Bool { outgoing != nil && isInFirstHalf }

  /// The slide that is more visible than the other one.
  var mostVisible: StagedSlide? { showsOutgoing ? outgoing : shown }

  private var isInFirstHalf: Bool { (change?.progress ?? 1) < 0.5 }

  /// True if the next frame differs from the one at `now`.
  func isMoving(at now: Double) -> Bool {
    isChanging || shown?.isMoving(at: now) == true
  }

  /// Shows a slide, or none. A running transition ends, and the new one starts from the more visible of its slides.
  mutating func show(_ slide: StagedSlide?, with transition: Transition) {
    let previous = isInFirstHalf ? outgoing : shown
    (outgoing, shown, change) = (nil, slide, nil)
    guard transition.isAnimated, previous?.image.image != slide?.image.image else { return }
    outgoing = previous
    change = Change(transition: transition)
  }

  /// Replaces the image of the shown slide by one of another size, or by one with a backdrop. A transition to the slide
  /// goes on, and `transition` is then ignored.
  mutating func replaceShown(by image: SlideImage, with transition: Transition = .none) {
    guard var slide = shown else { return }
    slide.image = image
    if isChanging { shown = slide } else { show(slide, with: transition) }
  }

  /// Starts or stops the movement of the slides. A transition goes on.
  mutating func setRunning(_ isRunning: Bool, at now: Double) {
    shown?.clock.setRunning(isRunning, at: now)
    outgoing?.clock.setRunning(isRunning, at: now)
  }

  /// Advances the transition.
  mutating func step(at now: Double) {
    guard var change else { return }
    let start = change.start ?? now
    let fraction = (now - start) / change.transition.duration
    change.start = start
    change.progress = change.transition.curve.value(at: fraction)
    self.change = change
    // The tolerance corrects rounding errors in the difference of two times.
    if fraction >= 1 - 1e-9 { endTransition() }
  }

  /// Ends the transition at once, and releases the outgoing slide.
  mutating func endTransition() { (outgoing, change) = (nil, nil) }

  /// Draws the slides.
  ///
  /// - Parameter placeholder: The command that draws the placeholder, from which the first slide appears.
  func draw(
    in bounds: Rect, at now: Double, scale: Double, placeholder: DrawList.ImageCommand?,
    into list: inout DrawList
  ) {
    let new = shown?.command(in: bounds, at: now) ?? placeholder
    guard let change else {
      if let new { list.draw(new) }
      return
    }
    let scene = TransitionScene(
      progress: change.progress, old: outgoing?.command(in: bounds, at: now) ?? placeholder, new: new,
      rect: bounds, scale: scale)
    change.transition.kind.draw(scene, into: &list)
  }
}
