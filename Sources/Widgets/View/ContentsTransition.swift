import VitrineGraphics

/// A running transition between two images of a view.
///
/// Time starts with the first frame that the transition receives, so that an image that arrives while the window sleeps
/// still gets the whole transition.
@MainActor
final class ContentsTransition: FrameObserver {
  /// The image shown before the transition.
  let old: ImageAppearance
  /// The image shown after the transition.
  private(set) var new: ImageAppearance
  private let transition: Transition
  private weak var view: View?
  private weak var window: Window?
  private var start: Double?
  private var completionHandlers: [() -> Void] = []
  /// The progress from the old image (0) to the new one (1), after the timing curve is applied.
  private(set) var progress = 0.0
  /// True once the transition has ended or was stopped.
  private(set) var isOver = false

  /// Requests frames from `window`. Each step, the last included, is reported to `view`.
  init(
    from old: ImageAppearance, to new: ImageAppearance, transition: Transition, of view: View,
    in window: Window
  ) {
    self.old = old
    self.new = new
    self.transition = transition
    self.view = view
    self.window = window
    window.requestFrames(for: self, at: window.now)
  }

  // The window was released during the transition.
  isolated deinit { callCompletionHandlers() }

  /// Ends the transition without a further step.
  func stop() {
    isOver = true
    window?.cancelFrames(for: self)
    callCompletionHandlers()
  }

  /// Replaces the preview that the transition leads to by a later image, if the preview is less than half visible and
  /// both transitions are of one kind. Fading the preview in and out again would flicker. Returns true if the image was
  /// replaced.
  func replacePreview(with appearance: ImageAppearance, by transition: Transition) -> Bool {
    guard new.image?.isPreview == true, appearance.image != nil, 0 < progress, progress < 0.5,
      transition.kind == self.transition.kind
    else { return false }
    new = appearance
    return true
  }

  /// Replaces the image that the transition leads to by an image that continues its animation; see `Image.continues`.
  /// Returns true if the transition leads to `image`.
  func goOn(from image: Image, with appearance: ImageAppearance) -> Bool {
    guard new.image === image else { return false }
    new = appearance
    return true
  }

  /// Calls `body` once, asynchronously, after the transition has ended or was stopped.
  func whenEnded(_ body: @escaping () -> Void) { completionHandlers.append(body) }

  private func callCompletionHandlers() {
    guard !completionHandlers.isEmpty else { return }
    let handlers = completionHandlers
    completionHandlers = []
    Task { @MainActor in for handler in handlers { handler() } }
  }

  func frame(at now: Double) -> NextFrame {
    let start = start ?? now
    self.start = start
    let fraction = (now - start) / transition.duration
    progress = transition.curve.value(at: fraction)
    // The tolerance corrects rounding errors in the difference of two times. In a hidden view the transition ends at
    // once.
    isOver = fraction >= 1 - 1e-9 || view?.isHiddenInTree != false
    view?.transitionDidStep(self)
    if isOver { callCompletionHandlers() }
    return isOver ? .never : .soon
  }

  /// Draws the current moment of the transition.
  func draw(
    from old: DrawList.ImageCommand?, to new: DrawList.ImageCommand?, in rect: Rect, into list: inout DrawList
  ) {
    let scene = TransitionScene(progress: progress, old: old, new: new, rect: rect, scale: window?.scale ?? 1)
    transition.kind.draw(scene, into: &list)
  }
}

/// An image and the attributes with which a view shows the image.
nonisolated struct ImageAppearance: Equatable {
  /// The image; `nil` shows nothing.
  var image: Image?
  /// A color multiplied into each channel.
  var tint = Color.white
  var opacity = 1.0
  /// The state of the view to which the image belongs. Not compared by `==`, because it does not affect the drawing.
  var state = ControlState.normal

  static func == (a: ImageAppearance, b: ImageAppearance) -> Bool {
    a.image == b.image && a.tint == b.tint && a.opacity == b.opacity
  }
}
