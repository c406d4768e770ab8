import VitrineWidgets

/// Advances a host's time manually, and draws each frame that is due on the way at exactly its time, so that a
/// screenshot of a moment in an animation is reproducible.
///
/// ```swift
/// let time = ManualTime(of: host)
/// picture.setContents(cover, transition: .crossDissolve(0.25))
/// time.advance(by: 0.125)
/// let half = host.screenshot()
/// ```
///
/// The image at a moment does not depend on the number of steps in which the time was advanced. Frames lie at multiples
/// of a sixtieth of a second since the clock was stopped, with an additional frame at the end of each step.
///
/// Advancing the time does not handle events of devices or work on the main queue, such as the delivery of loaded
/// images. Both wait for the host's next turn. The exception are images whose decoded pixels are on disk: a frame waits
/// for them, so that it does not depend on the speed of the disk.
@MainActor
public final class ManualTime {
  /// The number of frames per second while the window animates, regardless of the screen's refresh rate.
  public nonisolated static let framesPerSecond = 60.0
  /// The start time is a multiple of this number of seconds, so that every run of a program has equal times.
  package nonisolated static let startTimeMultiple = 1000.0
  private nonisolated static let maximumRedraws = 100

  /// The host's time in seconds.
  public private(set) var now: Double
  private unowned let host: SDLHost
  private var window: Window { host.window }

  /// Stops the host's clock at the next multiple of 1,000 seconds. Everything that would have been due until then
  /// is due at once.
  ///
  /// The host keeps a reference to this object. The object must not be used after the host has been deallocated.
  public init(of host: SDLHost) {
    self.host = host
    now = ((host.now / Self.startTimeMultiple).rounded(.down) + 1) * Self.startTimeMultiple
    host.window.frameInterval = 1 / Self.framesPerSecond
    host.window.frameOrigin = now
    host.clock = .manual { self.now }
  }

  /// Advances the time. Frame observers that requested a time on the way are called in a frame at that time, in order.
  /// Frame observers that requested the next frame are called `framesPerSecond` times per second, and in the last
  /// frame, which lies exactly at the end and is drawn completely.
  ///
  /// - Parameters:
  ///   - seconds: The number of seconds. If not positive, only what is due now is drawn.
  ///   - body: Called at the end, before the last frame, for example to inject input.
  public func advance(by seconds: Double, then body: () -> Void = {}) {
    advance(to: seconds > 0 ? now + seconds : now, then: body)
  }

  /// Advances the time to `end`, as `advance(by:then:)` does. A time that is past or not finite means now.
  public func advance(to end: Double, then body: () -> Void = {}) {
    let end = end.isFinite ? nearestFrame(to: end) : now
    drawUntilClean()
    while let next = nextFrame, next < end { frame(at: next) }
    now = max(now, end)
    window.now = now
    body()
    drawUntilClean()
  }

  /// True if no view waits for an image. Includes views that are not visible, such as the next rows of a list, because
  /// an image of a list that is scrolled later must not depend on loading times.
  public var isLoaded: Bool { window.isLoadedThroughout }

  /// Advances the time until the window is idle. Stops early while `isLoaded` is false, because loading needs real time
  /// and turns of the host; can be called again when all images are loaded.
  ///
  /// - Parameter limit: The maximum number of seconds to advance.
  /// - Returns: True if the window is idle and `isLoaded` is true.
  @discardableResult
  public func advanceUntilIdle(limit: Double = 30) -> Bool {
    let end = now + limit
    drawUntilClean()
    while !(window.isIdle && isLoaded) {
      guard isLoaded, let next = nextFrame, next <= end else { return false }
      frame(at: next)
    }
    return true
  }

  /// The time of the next frame. Regions that were drawn coarsely, and observers that request a frame at once, wait for
  /// the next regular frame.
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

  /// Draws frames at the current time until nothing is dirty.
  private func drawUntilClean() {
    host.drawFrame()
    for _ in 0..<Self.maximumRedraws where window.isDirty { host.drawFrame() }
  }
}
