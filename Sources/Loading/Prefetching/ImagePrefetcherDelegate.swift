/// Hears of all lists of a prefetcher (SD-F132). Called before the handlers that were given with a list.
@MainActor
public protocol ImagePrefetcherDelegate: AnyObject, Sendable {
  /// A picture is over: `isLoaded` tells whether it is in memory, `progress` how far its list is.
  func prefetcher(
    _ prefetcher: ImagePrefetcher, didFinish item: ImagePrefetcher.Item, isLoaded: Bool,
    progress: ImagePrefetch.Progress)
  /// No list is left; the sum of all lists since the last time that none was.
  func prefetcher(_ prefetcher: ImagePrefetcher, didFinishAll progress: ImagePrefetch.Progress)
}

extension ImagePrefetcherDelegate {
  /// Nothing.
  public func prefetcher(
    _ prefetcher: ImagePrefetcher, didFinish item: ImagePrefetcher.Item, isLoaded: Bool,
    progress: ImagePrefetch.Progress
  ) {}

  /// Nothing.
  public func prefetcher(_ prefetcher: ImagePrefetcher, didFinishAll progress: ImagePrefetch.Progress) {}
}
