import Synchronization
public import VitrineConcurrency

/// A list of images that an `ImagePrefetcher` loads, with its progress.
///
/// The list continues if this object is released; call `cancel()` to stop the list.
public final class ImagePrefetch: Cancellable {
  /// The progress of a list.
  public struct Progress: Hashable, Sendable {
    /// The number of images that have ended, including skipped images; equal to `total` at the end.
    public internal(set) var finished = 0
    /// The number of ended images that are not in memory (or not on disk, for that destination): they failed, have no
    /// valid URL, or were cancelled.
    public internal(set) var skipped = 0
    /// The number of images in the list; an image that occurs twice counts twice.
    public internal(set) var total = 0

    /// True if all images have ended.
    var isOver: Bool { finished == total }
  }

  private let latest: Mutex<Progress>
  private let cancelHandler: @Sendable () -> Void

  init(total: Int, cancel: @escaping @Sendable () -> Void) {
    latest = Mutex(Progress(total: total))
    cancelHandler = cancel
  }

  /// The current progress, never less than what the handlers have received.
  public var progress: Progress { latest.withLock { $0 } }

  /// True if all images have ended. The completion may still be on its way to the main actor.
  public var isFinished: Bool { progress.isOver }

  /// Cancels the remaining images, which count as skipped. The completion is called once, after this call. After a
  /// cancellation on the main actor, no progress is reported. Loads that other callers wait for continue. Does nothing
  /// for a list that has ended.
  public func cancel() { cancelHandler() }

  /// Sets the progress unless a later one is set already, because two threads may come here in either order.
  func update(_ progress: Progress) {
    latest.withLock { if $0.finished < progress.finished { $0 = progress } }
  }
}
