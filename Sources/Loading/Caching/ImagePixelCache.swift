package import VitrineGraphics

/// The digest of a stored body (128-bit XXH3), by which decoded pixels are bound to the bytes that they were made from.
public struct BodyDigest: Hashable, Sendable {
  /// The high and the low half of the digest.
  public let high, low: UInt64

  /// Creates a digest from both halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// The key of decoded pixels on disk.
package struct PixelKey: Hashable, Sendable {
  /// The identity of the response on disk.
  package let identity: RequestIdentity
  /// The rest of what decides the pixels, as text: additional identifier, size, limits, decoder, transforms, pixel
  /// format.
  package let variant: String

  package init(identity: RequestIdentity, variant: String) {
    self.identity = identity
    self.variant = variant
  }
}

/// Decoded pixels from disk.
package struct StoredPixels: Sendable {
  /// One frame.
  package let image: Image
  /// True if the source has more frames, of which `image` is the first.
  package let isAnimated: Bool

  package init(image: Image, isAnimated: Bool) {
    self.image = image
    self.isAnimated = isAnimated
  }
}

/// A cache of decoded pixels that outlives the process. Methods block, are called from several threads, never throw; a
/// cache that fails finds and stores nothing.
package protocol ImagePixelCache: AnyObject, Sendable {
  /// Returns the pixels that were made from a body; nil if there are none. `reserve` is called with the number of bytes
  /// before they are allocated.
  func pixels(
    for key: PixelKey, of body: BodyDigest, reserving reserve: (_ bytes: Int) -> Void
  ) -> StoredPixels?
  /// Stores the first frame of an image in place of other pixels of this key. Returns true if the pixels are stored.
  @discardableResult
  func store(_ image: Image, isAnimated: Bool, for key: PixelKey, of body: BodyDigest) -> Bool
  /// Removes the pixels of all variants.
  func removePixels(of identity: RequestIdentity)
  /// Removes all pixels.
  func removeAllPixels()
  /// The limit in bytes of all pixels on disk.
  var byteLimit: Int { get }
}
