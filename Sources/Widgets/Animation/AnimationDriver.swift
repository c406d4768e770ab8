/// Steps the animations of all views of a window. Requests frames while there are any.
final class AnimationDriver: FrameObserver {
  private weak var window: Window?
  private var running: [ViewAnimations] = []
  /// True if an animation was started since the current frame began.
  private var hasNewAnimations = false
  /// The time of the current frame; `nil` between frames. Animations that are started meanwhile begin with this frame.
  private(set) var currentFrame: Double?

  init(window: Window) { self.window = window }

  // Views that outlive their window show the ends of their animations.
  isolated deinit { for animations in running { animations.finish(isCompleted: false) } }

  /// The earliest time that counts as the previous frame, for animations that continue others.
  var previousFrame: Double { window.map { $0.now - 2 * $0.frameInterval } ?? 0 }

  /// Steps the animations of a view from the next frame on.
  func add(_ animations: ViewAnimations) {
    if !running.contains(where: { $0 === animations }) { running.append(animations) }
    hasNewAnimations = true
    if let window { window.requestFrames(for: self, at: window.now) }
  }

  /// Removes the animations of a view.
  func remove(_ animations: ViewAnimations) {
    running.removeAll { $0 === animations }
    if running.isEmpty { window?.cancelFrames(for: self) }
  }

  func frame(at now: Double) -> NextFrame {
    guard let window else { return .never }
    currentFrame = now
    hasNewAnimations = false
    defer { currentFrame = nil }
    var next: Double?
    var ended: [AnimationCompletion] = []
    // Re-entrancy: a view may start and stop animations while it changes, so a copy is stepped.
    for animations in running {
      let time = animations.step(at: now, isWindowVisible: window.isVisible, completions: &ended)
      if let time { next = min(next ?? time, time) }
    }
    for completion in ended { completion.call() }
    if hasNewAnimations { return .soon }
    guard let next, !running.isEmpty else { return .never }
    return next > now ? .at(next) : .soon
  }
}
