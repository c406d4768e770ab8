/// Something that changes with time: a fade, a spinner, a scroll that slows down.
///
/// It reads no clock. It asks its window for frames and is told the time of each:
///
/// ```swift
/// window.requestFrames(for: spinner, at: window.now, keepsBusy: false)
/// ```
public protocol FrameObserver: AnyObject {
  /// Called in a frame at or after the time it asked for. Returns when it wants the next call.
  func frame(at now: Double) -> NextFrame
}

/// When a `FrameObserver` wants to be called again. Times are those of `Window.now`, in seconds.
public nonisolated enum NextFrame: Hashable, Sendable {
  /// With the next frame, as soon as the screen takes one.
  case soon
  /// In the first frame at or after a time.
  case at(Double)
  /// Not any more.
  case never
}
