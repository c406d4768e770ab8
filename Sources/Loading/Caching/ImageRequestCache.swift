public import VitrineGraphics

/// A cache of pictures by request plus additional identifier (AF-F2). Bring your own, or use
/// `MemoryImageCache`.
///
/// Every call may come from any thread, the main one included, so none may wait for a disk or a network.
/// Under one identity may lie variants of several sizes: a lookup whose request has a `targetSize` is served
/// by any variant that has at least the pixels for it, a lookup without by the largest that is there.
public protocol ImageRequestCache: AnyObject, Sendable {
  /// The picture, the same instance each time, or nil. Counts as a use of it.
  func image(for request: ImageRequest, additionalIdentifier: String?) -> Image?
  /// Keeps a picture, and replaces the one of the same identity and size.
  func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?)
  /// Removes a picture in all its sizes; whether there was one.
  @discardableResult
  func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool
  /// Removes everything; whether there was anything.
  @discardableResult
  func removeAllImages() -> Bool
  /// Asked before each `insert` of a downloaded picture (AF-F12).
  func shouldCache(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) -> Bool
  /// Why a lookup just made did not find the picture, for the trace. Counts as no use of anything.
  func missReason(for request: ImageRequest, additionalIdentifier: String?) -> TraceEvent.Miss
}

extension ImageRequestCache {
  /// Everything is worth keeping unless a cache says otherwise (AF-C16).
  public func shouldCache(
    _ image: Image, for request: ImageRequest, additionalIdentifier: String?
  ) -> Bool { true }

  /// Not there, unless a cache knows more.
  public func missReason(for request: ImageRequest, additionalIdentifier: String?) -> TraceEvent.Miss {
    .absent
  }
}
