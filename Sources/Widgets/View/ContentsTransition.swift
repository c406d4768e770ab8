import VitrineGraphics

/// A transition between two pictures of a view, as long as it lasts.
///
/// Its time starts with the first frame that it is given, so that a picture which arrives while the window
/// sleeps still gets its whole transition.
@MainActor
final class ContentsTransition: FrameObserver {
  /// What was seen before.
  let old: PictureLook
  /// What will be seen afterwards.
  private(set) var new: PictureLook
  private let transition: Transition
  private weak var view: View?
  private weak var window: Window?
  private var start: Double?
  private var whoWait: [() -> Void] = []
  /// 0 at the beginning, 1 at the end, after the timing curve.
  private(set) var progress = 0.0
  /// Whether the new picture is fully shown.
  private(set) var isOver = false

  /// Starts in `window`. `view` hears of each step, the last included.
  init(
    from old: PictureLook, to new: PictureLook, transition: Transition, of view: View, in window: Window
  ) {
    self.old = old
    self.new = new
    self.transition = transition
    self.view = view
    self.window = window
    window.requestFrames(for: self, at: window.now)
  }

  // Its window is gone, in the midst of it.
  isolated deinit { tellThatItHasEnded() }

  /// Ends it without a further step.
  func stop() {
    isOver = true
    window?.cancelFrames(for: self)
    tellThatItHasEnded()
  }

  /// Lets more of a picture take the place of a part of it that is half in sight at most, which would go and come again
  /// otherwise; whether it was such a part.
  func goesOn(into more: PictureLook, by transition: Transition) -> Bool {
    guard new.image?.isPartial == true, more.image != nil, 0 < progress, progress < 0.5,
      transition.kind == self.transition.kind
    else { return false }
    new = more
    return true
  }

  /// Calls `body` once, after it has ended in whatever way; never from inside what ends it.
  func whenEnded(_ body: @escaping () -> Void) { whoWait.append(body) }

  private func tellThatItHasEnded() {
    guard !whoWait.isEmpty else { return }
    let bodies = whoWait
    whoWait = []
    Task { @MainActor in for body in bodies { body() } }
  }

  func frame(at now: Double) -> NextFrame {
    let start = start ?? now
    self.start = start
    let share = (now - start) / transition.duration
    progress = transition.curve.value(at: share)
    // A difference of times may fall short of the end by a rounding error. Nobody waits for what nobody sees.
    isOver = share >= 1 - 1e-9 || view?.isHiddenInTree != false
    view?.transitionDidStep(self)
    if isOver { tellThatItHasEnded() }
    return isOver ? .never : .soon
  }

  /// Draws its present moment.
  func draw(
    from old: DrawList.Picture?, to new: DrawList.Picture?, in rect: Rect, into list: inout DrawList
  ) {
    let scene = TransitionScene(
      progress: progress, old: old, new: new, rect: rect, scale: window?.scale ?? 1)
    transition.kind.draw(scene, into: &list)
  }
}

/// A picture as a view shows it.
nonisolated struct PictureLook: Equatable {
  /// Nil shows nothing.
  var image: Image?
  /// Multiplied into each channel.
  var tint = Color.white
  var opacity = 1.0
  /// Of which state of its view it is; it looks the same in each.
  var state = ControlState.normal

  static func == (a: PictureLook, b: PictureLook) -> Bool {
    a.image == b.image && a.tint == b.tint && a.opacity == b.opacity
  }
}
