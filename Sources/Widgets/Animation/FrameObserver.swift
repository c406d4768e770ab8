/// A type that changes with time, for example a fade, a spinner or a decelerating scroll.
///
/// A frame observer reads no clock. It requests frames from its window and receives the time of each frame:
///
/// ```swift
/// window.requestFrames(for: spinner, at: window.now, keepsBusy: false)
/// ```
@MainActor
public protocol FrameObserver: AnyObject {
  /// Called in the first frame at or after the requested time. Returns the time of the next call.
  func frame(at now: Double) -> NextFrame
}

/// The time at which a `FrameObserver` is called again. Times are those of `Window.now`, in seconds.
public nonisolated enum NextFrame: Hashable, Sendable {
  /// The next frame, as soon as the screen accepts one.
  case soon
  /// The first frame at or after the given time.
  case at(Double)
  /// No further call.
  case never
}
