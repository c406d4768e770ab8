public import VitrineGraphics

/// Shows what has come of one picture while the rest is on its way; made by `ImageDecoding.progressiveDecoder`.
///
/// One decoder sees all parts of a picture, in order (SD-D28), so that it may go on where it stopped. Called by one
/// thread at a time, a worker's, not always the same and never the main one.
public protocol ProgressiveImageDecoding: AnyObject, Sendable {
  /// A picture of what has come, of the size that the whole one will have, and `isPartial`; nil while there is nothing
  /// to show, or no more than the last time.
  ///
  /// Whatever throws here ends the pictures in part, not the load: the whole of the bytes is decoded all the same.
  ///
  /// - Parameters:
  ///   - data: all that has come so far, from the first byte; what was there the last time is its beginning.
  ///   - expectedLength: how long it will be, as the server says; nil if it does not. Not to be trusted.
  func image(of data: [UInt8], expectedLength: Int?) throws(ImageError) -> Image?
  /// Decodes as `image(of:expectedLength:)` does, and throws `.cancelled` soon after `cancellation` is requested, which
  /// happens when all bytes have come or the last caller that waits for the image has left.
  ///
  /// The default calls `image(of:expectedLength:)`, which cannot be cancelled.
  func image(
    of data: [UInt8], expectedLength: Int?, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image?
  /// Bytes that `image(of: data)` takes at once, its result and all that is kept from one part to the next included, as
  /// far as the header tells. Asked before each part, which is not made unless a `MemoryLedger` has room for them.
  func memoryNeeded(for data: [UInt8]) -> Int
  /// Bytes that are kept from the last part for the next: what they count while more of the picture is on its way.
  var memoryKept: Int { get }
}

extension ProgressiveImageDecoding {
  /// Calls `image(of:expectedLength:)` and ignores `cancellation`.
  public func image(
    of data: [UInt8], expectedLength: Int?, cancellation: DecodeCancellation
  ) throws(ImageError) -> Image? {
    try image(of: data, expectedLength: expectedLength)
  }
  /// 0, which waits for nothing.
  public func memoryNeeded(for data: [UInt8]) -> Int { 0 }
  /// 0, for a decoder that keeps nothing.
  public var memoryKept: Int { 0 }
}

/// A decoder with what it keeps in memory, for as long as anybody has it.
struct CountedDecoder: Sendable {
  let decoder: any ProgressiveImageDecoding
  let hold: MemoryHold
}

extension ImageRequest {
  /// Whether a picture is shown while it comes, and how.
  public enum Progressive: String, Hashable, Sendable, CaseIterable {
    /// Only when it is whole.
    case none
    /// Rows or scans as they have come (SDWebImage's ProgressiveLoad, YYWebImage's Progressive).
    case scans
    /// Scans of pictures that are made to be seen in part, progressive JPEG and interlaced PNG, the less blurred the
    /// more of them has come; others only when they are whole (YYWebImage's ProgressiveBlur).
    case blurred
  }
}
