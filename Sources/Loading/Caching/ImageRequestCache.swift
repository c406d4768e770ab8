public import VitrineGraphics

/// A cache of images by request and additional identifier (AFNetworking's `AFImageRequestCache`), such as
/// `MemoryImageCache` or an application's own type.
///
/// Methods are called from any thread, including the main thread, and must not wait for a disk or a network. An
/// identity may have variants of several sizes: a lookup with a `targetSize` returns a variant with enough pixels for
/// that size, a lookup without one returns the largest variant.
///
/// A `MemoryLedger` counts the images of a `MemoryImageCache` only. An application's own type limits its memory itself,
/// and is told of a shortage of memory by `handleMemoryPressure(_:)`.
public protocol ImageRequestCache: AnyObject, Sendable {
  /// Returns the cached image, or `nil`. Returns the same instance on each call. Counts as a use of the image.
  func image(for request: ImageRequest, additionalIdentifier: String?) -> Image?
  /// Stores an image in place of an image with equal identity and size.
  func insert(_ image: Image, for request: ImageRequest, additionalIdentifier: String?)
  /// Removes an image in all sizes. Returns true if there was such an image.
  @discardableResult
  func removeImage(for request: ImageRequest, additionalIdentifier: String?) -> Bool
  /// Removes all images. Returns true if there were any.
  @discardableResult
  func removeAllImages() -> Bool
  /// Returns false to keep a loaded image out of the cache. Called each time before a load inserts an image. The
  /// default returns true.
  func shouldCache(_ image: Image, for request: ImageRequest, additionalIdentifier: String?) -> Bool
  /// Evicts images, because the machine or the control group is short of memory, or the program has called
  /// `MemoryLedger.handlePressure(_:)` or `Application.handleMemoryPressure()`. Does nothing by default.
  ///
  /// Called for the cache of a downloader; not for a cache that only `ImageRequest.Cache.other(_:)` names. The kernel is
  /// observed for the shared downloader, and for others with the same ledger.
  func handleMemoryPressure(_ pressure: MemoryPressure)
}

extension ImageRequestCache {
  /// Returns true: every image is stored.
  public func shouldCache(
    _ image: Image, for request: ImageRequest, additionalIdentifier: String?
  ) -> Bool { true }
  /// Does nothing.
  public func handleMemoryPressure(_ pressure: MemoryPressure) {}
}
