import VitrineWidgets

/// Moves a host's time by hand, and makes every frame that is due on the way at exactly its time, so that a moment of
/// an animation is a fixed picture.
///
/// ```swift
/// let time = ManualTime(of: host)
/// picture.setContents(cover, transition: .fade(0.25))
/// time.advance(by: 0.125)
/// let half = host.screenshot()
/// ```
///
/// The image at a moment does not depend on the number of steps in which the time was moved there. Frames lie at
/// multiples of a sixtieth of a second since the clock was stopped, with one more at the end of each step.
///
/// Nothing else happens while it moves: the events of devices, and what the main queue holds, as pictures that have been
/// loaded, wait for the host's next turn.
@MainActor
public final class ManualTime {
  /// Frames a second while something moves, whatever the screen does.
  public nonisolated static let framesPerSecond = 60.0
  /// The time begins at a multiple of so many seconds, so that each run of a program has the same times.
  public nonisolated static let beginning = 1000.0
  private nonisolated static let mostFramesAtOnce = 100

  /// The host's time in seconds.
  public private(set) var now: Double
  private unowned let host: SDLHost
  private var window: Window { host.window }

  /// Stops the host's clock at the next multiple of `beginning`: what would have been due until then is due at once.
  /// The host holds its time from now on, which must not be used longer than the host.
  public init(of host: SDLHost) {
    self.host = host
    now = ((host.now / Self.beginning).rounded(.down) + 1) * Self.beginning
    host.window.frameInterval = 1 / Self.framesPerSecond
    host.window.frameOrigin = now
    host.clock = .manual { self.now }
  }

  /// Lets time pass. Whoever asked for a time on the way is called in a frame at that time, in order; whoever asked
  /// for the next frame, `framesPerSecond` times a second and in the last frame, which is made at the end exactly,
  /// and is complete.
  ///
  /// - Parameters:
  ///   - seconds: what is not a positive number is none; then only what is due now is drawn.
  ///   - body: called at the end before the last frame, as for input.
  public func advance(by seconds: Double, then body: () -> Void = {}) {
    advance(to: seconds > 0 ? now + seconds : now, then: body)
  }

  /// The same up to a time; one that has passed, or will never come, is now.
  public func advance(to end: Double, then body: () -> Void = {}) {
    let end = end.isFinite ? nearestFrame(to: end) : now
    settle()
    while let next = nextFrame, next < end { frame(at: next) }
    now = max(now, end)
    window.now = now
    body()
    settle()
  }

  /// Whether no view waits for a picture, those included that cannot be seen, as a list's next rows: what is scrolled
  /// into sight afterwards must not depend on how fast it came.
  public var isLoaded: Bool { window.isLoadedThroughout }

  /// Lets time pass until the window is idle, as long as its pictures are there: those that load take real time, and
  /// turns of the host. Stops when it is not `isLoaded` any more, and can be called again when it is.
  ///
  /// - Parameter limit: gives up after so many seconds.
  /// - Returns: whether the window is idle and `isLoaded`.
  @discardableResult
  public func advanceUntilIdle(limit: Double = 30) -> Bool {
    let end = now + limit
    settle()
    while !(window.isIdle && isLoaded) {
      guard isLoaded, let next = nextFrame, next <= end else { return false }
      frame(at: next)
    }
    return true
  }

  /// When the next frame is wanted. What is drawn coarsely at first, or asks again at once, waits for the next turn of
  /// a screen.
  private var nextFrame: Double? {
    window.nextDeadline.map { $0 > now ? $0 : window.frameTime(after: now) }
  }

  /// Returns the time of the nearest frame if it differs only by a rounding error, as a sum of steps does; otherwise
  /// `time`.
  private func nearestFrame(to time: Double) -> Double {
    let frame = window.frameTime(after: time - window.frameInterval / 2)
    return abs(frame - time) < 1e-7 ? frame : time
  }

  private func frame(at time: Double) {
    now = time
    host.drawFrame()
  }

  /// Draws until nothing is left to draw at this time.
  private func settle() {
    host.drawFrame()
    for _ in 0..<Self.mostFramesAtOnce where window.isDirty { host.drawFrame() }
  }
}
