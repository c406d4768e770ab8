/// The result of asking an `ImageDataCache` for the lock of a fetch, so that several processes that share the cache
/// fetch a response once.
public enum FetchLock: Sendable {
  /// This process holds the lock until the token is released.
  ///
  /// - secondsSinceStore: The number of seconds since a response was stored for the request; nil if there is no stored
  ///   response. A response that was stored after the downloader's lookup is looked up before the server is asked.
  case acquired(any FetchLockToken, secondsSinceStore: Double?)
  /// Another process fetches the response, or is about to.
  ///
  /// - progress: A number that changes as long as the transfer of the other process makes progress.
  case heldByAnother(progress: UInt64)
}

/// A fetch lock that this process holds. The lock is also released when the process ends or is killed.
///
/// A downloader calls the methods on a thread that may block.
public protocol FetchLockToken: AnyObject, Sendable {
  /// Tells the processes that wait for the lock that bytes have arrived.
  func noteProgress()
  /// Releases the lock. A second call does nothing.
  func release()
}
