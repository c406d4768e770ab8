/// A call that a window makes at a later time, or again and again; see `Window.after(_:perform:)`.
///
/// The window holds the timer until it is over. A timer that is not kept goes on all the same.
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

  /// True until the timer is cancelled, or has made its last call.
  public var isPending: Bool { body != nil }

  /// Ends the calls. A second call does nothing.
  public func cancel() {
    guard body != nil else { return }
    body = nil
    window?.cancelFrames(for: self)
  }
}

extension WindowTimer: FrameObserver {
  /// Makes the call; the window calls this when the timer is due.
  public func frame(at now: Double) -> NextFrame {
    guard let window, let body else { return .never }
    let next = schedule.next(after: now, frameInterval: window.frameInterval)
    if next == .never { self.body = nil }
    body()
    return isPending ? next : .never
  }
}

/// The times at which a timer is due, in seconds of its window.
nonisolated struct TimerSchedule: Hashable, Sendable {
  private let start: Double
  private let seconds: Double
  private let repeats: Bool

  /// Once, so many seconds after `start`.
  static func once(after seconds: Double, from start: Double) -> Self {
    Self(start: start, seconds: seconds.isNaN ? .infinity : max(0, seconds), repeats: false)
  }

  /// At each multiple of so many seconds after `start`.
  static func repeating(every seconds: Double, from start: Double) -> Self {
    Self(start: start, seconds: seconds > 0 ? seconds : .infinity, repeats: true)
  }

  /// Nil for a time that never comes.
  var firstTime: Double? { (start + seconds).isFinite ? start + seconds : nil }

  /// The next time after a call at `now`. Times that have been missed are skipped.
  func next(after now: Double, frameInterval: Double) -> NextFrame {
    guard repeats else { return .never }
    guard seconds >= frameInterval else { return .soon }
    // The quotient of a multiple may fall short of a whole number by a rounding error.
    let count = ((now - start) / seconds + 1e-6).rounded(.down) + 1
    return .at(start + count * seconds)
  }
}

extension Window {
  /// Calls `body` once, in the first frame at or after a time.
  ///
  /// The time is the host's: a manual clock drives it in tests. Foundation's `Timer` does not work in a program whose loop is
  /// `Application.run()`, since nothing runs Foundation's run loop.
  ///
  /// ```swift
  /// window.after(30) { [weak self] in self?.dim() }
  /// ```
  ///
  /// - Parameters:
  ///   - seconds: from now; 0 or less is the next frame. NaN or infinity never comes.
  ///   - body: called on the main actor before the frame is laid out and drawn. Held until then, or until `cancel()`.
  @discardableResult
  public func after(_ seconds: Double, perform body: @escaping () -> Void) -> WindowTimer {
    WindowTimer(.once(after: seconds, from: timerStart), in: self, perform: body)
  }

  /// Calls `body` again and again, each time so many seconds later, until the timer is cancelled or the window is gone.
  ///
  /// The calls do not drift: the time between them is measured from the first. Those that were missed, as by a program that
  /// was stopped, are made up for by one. The process is not woken in between.
  ///
  /// ```swift
  /// slideshow = window.every(10) { [weak self] in self?.showNext() }
  /// // …
  /// slideshow.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - seconds: from one call to the next; the shortest interval is a frame. 0, a negative number, NaN and infinity never
  ///     come.
  ///   - body: called on the main actor before the frame is laid out and drawn. Held until `cancel()`.
  @discardableResult
  public func every(_ seconds: Double, perform body: @escaping () -> Void) -> WindowTimer {
    WindowTimer(.repeating(every: seconds, from: timerStart), in: self, perform: body)
  }

  /// Between two frames `now` stands still, while the host's time goes on.
  private var timerStart: Double { max(now, hostTime?() ?? now) }
}
