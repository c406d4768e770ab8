public import VitrineGraphics

/// A decoder that makes previews of one image while the image loads, created by `ImageDecoding.progressiveDecoder`.
///
/// One decoder receives the growing data of an image in order, so that decoding can continue where it stopped. Methods
/// are called by one thread at a time: a worker thread, not always the same one and never the main thread.
public protocol ProgressiveImageDecoding: AnyObject, Sendable {
  /// Returns a preview of the bytes received so far, or `nil` if there is nothing to show, or no more than in the last
  /// preview. The preview has the size of the whole image, and `isPreview` is true.
  ///
  /// An error ends the previews but not the load: the complete data are decoded nevertheless.
  ///
  /// - Parameters:
  ///   - data: All bytes received so far, from the first byte. Starts with the data of the previous call.
  ///   - expectedLength: The length of the complete data in bytes as declared by the server; `nil` if unknown. Must not
  ///     be trusted.
  func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image?
  /// Decodes as `image(of:expectedLength:)` does, and throws `.cancelled` soon after `cancellation` is requested, which
  /// happens when all bytes have come or the last caller that waits for the image has left.
  ///
  /// The default calls `image(of:expectedLength:)`, which cannot be cancelled.
  func image(
    of data: [UInt8], expectedLength: Int?, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image?
  /// Returns the peak number of bytes of `image(of: data)`, including the preview and all memory kept between two
  /// previews, as far as the header tells. Called before each preview, which is made only if a `MemoryLedger` has room
  /// for the bytes.
  func memoryNeeded(for data: [UInt8]) -> Int
  /// The number of bytes that the decoder keeps between two previews. These stay reserved while more data arrive.
  var retainedBytes: Int { get }
}

extension ProgressiveImageDecoding {
  /// Calls `image(of:expectedLength:)` and ignores `cancellation`.
  public func image(
    of data: [UInt8], expectedLength: Int?, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image? {
    try image(of: data, expectedLength: expectedLength)
  }
  /// Returns 0: no memory of the decoder is reserved.
  public func memoryNeeded(for data: [UInt8]) -> Int { 0 }
  /// The default, 0: the decoder keeps no memory between two previews.
  public var retainedBytes: Int { 0 }
}

/// A preview decoder with the reservation of the memory that the decoder keeps. The reservation ends when the last
/// reference to `reservation` is released.
struct ReservedDecoder: Sendable {
  let decoder: any ProgressiveImageDecoding
  let reservation: MemoryReservation
}

extension ImageRequest {
  /// The previews that are shown while an image loads.
  public enum Progressive: String, Hashable, Sendable, CaseIterable {
    /// No previews: the image is shown when complete.
    case none
    /// Rows or scans as received (SDWebImage's ProgressiveLoad, YYWebImage's Progressive). A JPEG whose Exif has a large
    /// enough thumbnail shows the thumbnail first, and no rows if it has a single scan.
    case scans
    /// The scans of progressive JPEG and interlaced PNG, blurred less the more bytes have been received. Other images
    /// are shown only when complete (YYWebImage's ProgressiveBlur).
    case blurred
  }
}
