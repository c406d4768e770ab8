import VitrineGraphics
import VitrineLoading

/// The names under which pixels are found on disk. Secrets of a request are digested with the folder's key, as in
/// `DiskKey`.
struct PixelName: Hashable {
  /// The length of a key's digest in bytes.
  static let digestLength = 32

  /// The hash of the request, which chooses the bucket, so that all variants of a request are in one bucket. Also the
  /// name of the file of the response.
  let identity: ContentHash
  /// The digest of the request and the variant. With a family, half of the bytes depend on the family instead, so that
  /// the sizes of an image are recognized by their digests.
  let digest: [UInt8]

  /// - Parameter family: The variant without the size; nil if there is none.
  init(_ key: DiskKey, variant: String, family: String? = nil) {
    identity = ContentHash(key.bytes)
    let own = SHA256.digest(key.bytes + Array(variant.utf8))
    guard let family else {
      digest = own
      return
    }
    let shared = SHA256.digest(key.bytes + Array(family.utf8))
    digest = (0..<Self.digestLength).map { Self.familyIndices.contains($0) ? shared[$0] : own[$0] }
  }

  /// The positions of the bytes of a digest that depend on the family: half of those in `keyTag`, and of the others.
  private static let familyIndices = Set(Array(0..<4) + Array(8..<20))

  /// Returns true if the digests are those of two sizes of an image.
  static func areOfOneFamily(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == digestLength && b.count == digestLength && familyIndices.allSatisfy { a[$0] == b[$0] }
  }

  /// Returns the part of a key's tag that depends on the family.
  static func familyTag(of keyTag: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: keyTag >> 32) }

  /// Returns the number of the bucket among `count` buckets, a power of two.
  func bucket(of count: Int) -> Int { identity.bucket(among: count) }

  /// The part of the request's hash that entries of the index contain.
  var identityTag: UInt32 { Self.identityTag(of: identity) }

  /// Returns the part of a request's hash that entries of the index contain.
  static func identityTag(of identity: ContentHash) -> UInt32 { UInt32(truncatingIfNeeded: identity.low) }

  /// The part of the key's digest that entries of the index contain.
  var keyTag: UInt64 { Self.keyTag(of: digest) }

  /// Returns the part of a key's digest that entries of the index contain.
  static func keyTag(of digest: [UInt8]) -> UInt64 {
    digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the part of a body's digest that entries of the index contain.
  static func bodyTag(of body: BodyDigest) -> UInt32 { UInt32(truncatingIfNeeded: body.low) }
}
