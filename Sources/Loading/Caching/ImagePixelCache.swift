public import VitrineGraphics

/// The digest of a stored body, a 128-bit XXH3 hash, by which decoded pixels are bound to the bytes that they were made
/// from.
public struct BodyDigest: Hashable, Sendable {
  /// The upper and the lower half of the hash.
  public let high, low: UInt64

  /// Creates a digest from the halves of a hash.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// The key of decoded pixels on disk.
public struct PixelKey: Hashable, Sendable {
  /// The identity of the stored response from which the pixels were made.
  public let identity: RequestIdentity
  /// The other values that decide the pixels, as text: additional identifier, size, limits, decoder, transforms and
  /// pixel format. Texts are equal if and only if the values are equal, in every process.
  public let variant: String

  /// Creates a key.
  public init(identity: RequestIdentity, variant: String) {
    self.identity = identity
    self.variant = variant
  }

  /// The variant without the size: equal for all sizes of an image, and for no other images. `nil` for a variant that
  /// was not made by a downloader. O(variant).
  public var family: String? { PixelVariants.withoutSize(variant) }
}

/// Decoded pixels from disk.
public struct StoredPixels: Sendable {
  /// A still image, or the first frame of an animated one.
  public let image: Image
  /// True if the encoded image has more frames than `image`.
  public let isAnimated: Bool

  /// Creates a value for an image that was read from disk.
  public init(image: Image, isAnimated: Bool) {
    self.image = image
    self.isAnimated = isAnimated
  }
}

/// A cache that keeps decoded pixels between runs of a program, so that images are shown without decoding:
/// `DiskPixelCache` or an application's own type.
///
/// Pixels belong to the body of a stored response. A downloader looks for pixels only if an `ImageDataCache` has that
/// response, and the body has the same digest as when the pixels were stored.
///
/// The cache stores only the first frame of an animated image. A slot shows the stored frame until the other frames can
/// be decoded. A request with `ImageRequest.Animation.firstFrame` gets the stored frame as its result.
///
/// Methods may block. A downloader calls them on threads of its own, several at a time. A cache that fails stores
/// nothing and finds nothing; it never makes a load fail.
public protocol ImagePixelCache: AnyObject, Sendable {
  /// Returns the pixels, complete and undamaged; `nil` if there are none for this key and this body.
  ///
  /// - Parameters:
  ///   - key: The identity of the request, and the variant of its image.
  ///   - body: The digest of the stored body.
  ///   - reserve: Called with the number of bytes of the pixels before memory is allocated.
  func pixels(
    for key: PixelKey, of body: BodyDigest, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels?
  /// Returns the largest pixels of the same image in a smaller size, which a slot shows until the image is decoded; `nil`
  /// if there are none. The default implementation returns `nil`.
  ///
  /// - Parameters:
  ///   - key: The key of the image that was not found. The other sizes have the same identity and the same
  ///     `PixelKey.family`.
  ///   - body: The digest of the stored body.
  ///   - maximumCount: The number of pixels that the image must not exceed.
  ///   - reserve: Called with the number of bytes of the pixels before memory is allocated.
  func smallerPixels(
    for key: PixelKey, of body: BodyDigest, maximumCount: Int, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels?
  /// Stores the first frame of an image in place of older pixels with this key. Returns true if it was stored.
  ///
  /// - Parameters:
  ///   - image: The image whose pixels are stored.
  ///   - isAnimated: True if the encoded image has more frames.
  ///   - key: The identity of the request, and the variant of its image.
  ///   - body: The digest of the body that the image was decoded from.
  @discardableResult
  func store(_ image: Image, isAnimated: Bool, for key: PixelKey, of body: BodyDigest) -> Bool
  /// Removes the pixels of all images that were made from a response.
  func removePixels(of identity: RequestIdentity)
  /// Removes all pixels.
  func removeAllPixels()
  /// The limit in bytes for all pixels on disk.
  var byteLimit: Int { get }
  /// The number of bytes that are read from the disk in a second, as far as known. Pixels are stored only if reading them
  /// at this speed takes less time than reading and decoding the response. The default implementation returns 400
  /// million, the speed of a SATA disk. Must not block.
  var readSpeed: Double { get }
}

extension ImagePixelCache {
  /// Returns 400 million.
  public var readSpeed: Double { 400e6 }

  /// Returns `nil`.
  public func smallerPixels(
    for key: PixelKey, of body: BodyDigest, maximumCount: Int, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels? { nil }
}
