package import VitrineGraphics

/// The encoded bytes whose regions are decoded.
struct RegionBytes: Sendable {
  let encoded: EncodedBytes
  /// Returns the digest by which a disk cache knows the bytes; `nil` if there is none.
  let digest: @Sendable () -> BodyDigest?

  init(_ encoded: EncodedBytes, digest: @escaping @Sendable () -> BodyDigest? = { nil }) {
    self.encoded = encoded
    self.digest = digest
  }

  /// Returns true if an image with this identity was made from the bytes. Reads a part of the bytes, or all.
  func are(_ content: ContentID) -> Bool {
    ContentID(samplesOf: encoded) == content || digest().map { ContentID($0) } == content
  }
}

extension ContentID {
  private static let sampleCount = 64
  private static let sampleLength = 1024

  /// The identity of pixels in a pixel cache, which belong to the digest of a body.
  init(_ digest: BodyDigest) { self.init(high: digest.high, low: digest.low) }

  /// The identity of bytes that are decoded: a digest of their number and of samples, because all of a large image
  /// would take long. Two photos hardly have the same length, and differ nearly everywhere.
  package init(samplesOf bytes: EncodedBytes) {
    var samples = (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) }
    if bytes.count <= Self.sampleCount * Self.sampleLength {
      samples += bytes.prefix(bytes.count)
    } else {
      // A PNG ends with a checksum of all pixels.
      let last = bytes.count - Self.sampleLength
      let distance = last / (Self.sampleCount - 1)
      for index in 0..<(Self.sampleCount - 1) {
        samples += bytes.read(at: index * distance, count: Self.sampleLength)
      }
      samples += bytes.read(at: last, count: Self.sampleLength)
    }
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    let digest = SHA256.digest(samples)
    self.init(high: word(digest[0..<8]), low: word(digest[8..<16]))
  }
}
