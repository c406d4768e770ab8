/// The result of asking an `ImageDataCache` for the lock of a fetch, so that several processes that share the cache
/// fetch a response once.
public enum FetchLock: Sendable {
  /// This process holds the lock until the token is released.
  ///
  /// - secondsSinceStore: The number of seconds since a response was stored for the request; nil if there is no stored
  ///   response. A response that was stored after the downloader's lookup is looked up before the server is asked.
  case acquired(any FetchLockToken, secondsSinceStore: Double?)
  /// Another process fetches the response, or is about to.
  case heldByAnother(FetchLockProgress)
}

/// The progress of the fetch of another process that holds a lock. The numbers begin at 0 with each process that takes the
/// lock.
public struct FetchLockProgress: Hashable, Sendable {
  /// A number that changes as long as the other process receives bytes.
  public var received: UInt64
  /// A number that changes as long as the other process waits for the response of its server.
  public var waiting: UInt64

  /// Creates the progress of a fetch that receives bytes, and does not wait for its server.
  public init(received: UInt64, waiting: UInt64 = 0) {
    self.received = received
    self.waiting = waiting
  }

  /// True if the numbers have gone back since `earlier`: the lock has been released, and yet another process holds it.
  func isOfAnotherProcess(than earlier: FetchLockProgress) -> Bool {
    (received, waiting) < (earlier.received, earlier.waiting)
  }
}

/// A fetch lock that this process holds. The lock is also released when the process ends or is killed.
///
/// A downloader calls the methods on a thread that may block.
public protocol FetchLockToken: AnyObject, Sendable {
  /// Tells the processes that wait for the lock that bytes have arrived. Called at most once a second.
  func noteProgress()
  /// Tells the processes that wait for the lock that this process waits for its server. Called about once a second.
  func noteWaiting()
  /// Releases the lock. A second call does nothing.
  func release()
}

extension FetchLockToken {
  /// Does nothing: other processes ask the server themselves if it takes long for its response.
  public func noteWaiting() {}
}
