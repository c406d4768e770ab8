import Synchronization

/// A list of pictures that an `ImagePrefetcher` loads, to ask how far it is and to give it up.
///
/// The list goes on when this is let go.
public final class ImagePrefetch: Cancellable {
  /// How far a list is.
  public struct Progress: Hashable, Sendable {
    /// Pictures that are over, those that were skipped among them. In the end it is the total.
    public internal(set) var finished = 0
    /// Of those the ones that are not in memory: they failed, have no valid URL, or were given up.
    public internal(set) var skipped = 0
    /// Pictures of the list; one that is there twice counts twice.
    public internal(set) var total = 0

    /// Whether nothing is left to do.
    var isOver: Bool { finished == total }
  }

  private let latest: Mutex<Progress>
  private let giveUp: @Sendable () -> Void

  init(total: Int, cancel: @escaping @Sendable () -> Void) {
    latest = Mutex(Progress(total: total))
    giveUp = cancel
  }

  /// How far it is now; never less than what its handlers have heard.
  public var progress: Progress { latest.withLock { $0 } }

  /// Whether it is over; its completion may be still on its way to the main actor.
  public var isFinished: Bool { progress.isOver }

  /// Gives up what is left, which counts as skipped: the completion hears that, once and later. From the main actor no
  /// progress is heard after this call. Loads that others wait for too go on. Does nothing when it is over.
  public func cancel() { giveUp() }

  /// Two threads may come in either order.
  func note(_ progress: Progress) {
    latest.withLock { if $0.finished < progress.finished { $0 = progress } }
  }
}
