/// A delegate that is notified of all lists of a prefetcher (`SDWebImagePrefetcherDelegate`). Called before the
/// handlers of a list.
@MainActor
public protocol ImagePrefetcherDelegate: AnyObject, Sendable {
  /// Called when an image has ended. `isLoaded` is true if the image has reached the destination; `progress` is that of
  /// the list.
  func prefetcher(
    _ prefetcher: ImagePrefetcher, didFinish item: ImagePrefetcher.Item, isLoaded: Bool,
    progress: ImagePrefetch.Progress)
  /// Called when no list is left, with the sum of all lists since the last such call.
  func prefetcher(_ prefetcher: ImagePrefetcher, didFinishAll progress: ImagePrefetch.Progress)
}

extension ImagePrefetcherDelegate {
  /// Does nothing.
  public func prefetcher(
    _ prefetcher: ImagePrefetcher, didFinish item: ImagePrefetcher.Item, isLoaded: Bool,
    progress: ImagePrefetch.Progress
  ) {}

  /// Does nothing.
  public func prefetcher(_ prefetcher: ImagePrefetcher, didFinishAll progress: ImagePrefetch.Progress) {}
}
