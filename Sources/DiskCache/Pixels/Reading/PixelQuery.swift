import VitrineLoading

/// The pixels to look for: those of a key, or the largest pixels of the same image in a smaller size.
struct PixelQuery {
  let name: PixelName
  let body: BodyDigest
  /// The number of pixels that an image in another size must not exceed; nil to look for the pixels of the key.
  var maximumCount: Int?

  /// Returns the entry of the pixels; nil if there is none.
  func entry(in bucket: PixelBucket) -> PixelEntry? {
    guard let maximumCount else { return bucket.entry(of: name, body) }
    return bucket.largestEntry(of: name, body, maximumCount: maximumCount)
  }

  /// Returns true if the record with this digest of its key is the one to look for.
  func isMatch(_ keyDigest: [UInt8]) -> Bool {
    guard maximumCount != nil else { return keyDigest == name.digest }
    return PixelName.areOfOneFamily(keyDigest, name.digest)
  }
}
