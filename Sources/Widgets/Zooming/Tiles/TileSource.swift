package import VitrineGraphics

/// A source of the regions of a large image, for a view that shows a part of it.
@MainActor
package protocol TileSource: AnyObject {
  /// The layout of the image; `nil` while it is not open.
  var layout: RegionLayout? { get }
  /// True while the image is open or being opened.
  var isActive: Bool { get }
  /// Called when memory is short: all memory should be released that is not needed at this moment if the argument is
  /// true, else that of regions that are not visible.
  var onPressure: ((_ isCritical: Bool) -> Void)? { get set }
  /// Prepares the image from which `shown` was made. `completion` is called later, with `nil` if the image is decoded
  /// only as a whole, cannot be read, or has been replaced by another; not after `close()`.
  func open(for shown: Image, completion: @escaping @MainActor (RegionLayout?) -> Void)
  /// Decodes a region of an open image. `completion` is called later, with `nil` after a failure; not after the returned
  /// load was cancelled.
  func load(_ region: ImageRegion, completion: @escaping @MainActor (Image?) -> Void) -> any TileLoad
  /// Releases the encoded image.
  func close()
}

/// The decode of a region.
@MainActor
package protocol TileLoad: AnyObject {
  func cancel()
}
