/// A timer of a window, which calls a function once or repeatedly; see `Window.after(_:perform:)`.
///
/// The window retains the timer until its last call. The caller need not keep it.
public final class WindowTimer {
  private let schedule: TimerSchedule
  private var body: (() -> Void)?
  private weak var window: Window?

  init(_ schedule: TimerSchedule, in window: Window, perform body: @escaping () -> Void) {
    self.schedule = schedule
    self.window = window
    guard let first = schedule.firstTime else { return }
    self.body = body
    window.requestFrames(for: self, at: first, keepsBusy: false)
  }

  /// True until the timer is cancelled or has made the last call.
  public var isPending: Bool { body != nil }

  /// Stops the timer. Further calls do nothing.
  public func cancel() {
    guard body != nil else { return }
    body = nil
    window?.cancelFrames(for: self)
  }
}

extension WindowTimer: FrameObserver {
  /// Called by the window when the timer is due. Calls the timer's function.
  public func frame(at now: Double) -> NextFrame {
    guard let window, let body else { return .never }
    let next = schedule.next(after: now, frameInterval: window.frameInterval)
    if next == .never { self.body = nil }
    body()
    return isPending ? next : .never
  }
}

/// The times at which a timer is due, in seconds of the window's time.
nonisolated struct TimerSchedule: Hashable, Sendable {
  private let start: Double
  private let seconds: Double
  private let repeats: Bool

  /// A schedule with one time, `seconds` after `start`.
  static func once(after seconds: Double, from start: Double) -> Self {
    Self(start: start, seconds: seconds.isNaN ? .infinity : max(0, seconds), repeats: false)
  }

  /// A schedule of the multiples of `seconds` after `start`.
  static func repeating(every seconds: Double, from start: Double) -> Self {
    Self(start: start, seconds: seconds > 0 ? seconds : .infinity, repeats: true)
  }

  /// The first time; nil if it is not finite, so that the timer never fires.
  var firstTime: Double? { (start + seconds).isFinite ? start + seconds : nil }

  /// Returns the next time after a call at `now`. Missed times are skipped.
  func next(after now: Double, frameInterval: Double) -> NextFrame {
    guard repeats else { return .never }
    guard seconds >= frameInterval else { return .soon }
    // The tolerance corrects rounding errors in the quotient of a multiple.
    let count = ((now - start) / seconds + 1e-6).rounded(.down) + 1
    return .at(start + count * seconds)
  }
}

extension Window {
  /// Calls `body` once, in the first frame at or after a time.
  ///
  /// The time is the host's, so a manual clock drives the timer in tests. Foundation's `Timer` does not fire in a
  /// program whose loop is `Application.run()`, because Foundation's run loop does not run.
  ///
  /// ```swift
  /// window.after(30) { [weak self] in self?.dim() }
  /// ```
  ///
  /// - Parameters:
  ///   - seconds: The delay from now; 0 or less fires in the next frame. NaN and infinity never fire.
  ///   - body: Called on the main actor before the frame is laid out and drawn. Retained until then, or until
  ///     `cancel()`.
  @discardableResult
  public func after(_ seconds: Double, perform body: @escaping () -> Void) -> WindowTimer {
    WindowTimer(.once(after: seconds, from: timerStart), in: self, perform: body)
  }

  /// Calls `body` repeatedly at an interval, until the timer is cancelled or the window is released.
  ///
  /// The times do not drift: each is a multiple of the interval after the start. If several are missed, for example
  /// because the program was stopped, one call replaces them. The process is not woken in between.
  ///
  /// ```swift
  /// slideshow = window.every(10) { [weak self] in self?.showNext() }
  /// // …
  /// slideshow.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - seconds: The interval between calls, at least one frame. 0, negative numbers, NaN and infinity never fire.
  ///   - body: Called on the main actor before the frame is laid out and drawn. Retained until `cancel()`.
  @discardableResult
  public func every(_ seconds: Double, perform body: @escaping () -> Void) -> WindowTimer {
    WindowTimer(.repeating(every: seconds, from: timerStart), in: self, perform: body)
  }

  /// The host's current time, because `now` does not change between two frames.
  private var timerStart: Double { max(now, hostTime?() ?? now) }
}
