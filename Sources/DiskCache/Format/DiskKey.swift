import VitrineGraphics
import VitrineLoading

/// The key that a response is stored under: the URL, the trust settings of the transport, and the headers that always
/// change the response.
///
/// Headers that a server names in `Vary` are not part of the key, because they are unknown before the request. The
/// stored response contains them (`StoredResponse.varying`). The headers `Cookie` and `Authorization` and a login in the
/// URL are secrets, so the key contains only their digests, made with the folder's key.
struct DiskKey: Hashable {
  /// The headers that are no secret, so that a response to a request with these headers is found in any folder.
  private static let publicNames = ["Accept", "Accept-Language"]

  /// The bytes of the key, which are compared with the key in the file.
  let bytes: [UInt8]

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The key of an incomplete response, in a file that a lookup must never take for a complete response.
  var ofIncompleteResponse: DiskKey { DiskKey(bytes: bytes + Array("incomplete".utf8)) }

  /// Creates the key of a request.
  ///
  /// - Parameter digest: A function that returns the digest of a secret. Called only if there is a secret.
  init<Failure: Error>(
    _ identity: RequestIdentity, digest: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    let (url, login) = identity.url.separatingLogin
    var secrets = ByteWriter()
    for field in identity.baseHeaders where !Self.publicNames.contains(field.name) {
      secrets.append(field.name)
      secrets.append(field.value)
    }
    if let login { secrets.append(login) }
    let none = [UInt8](repeating: 0, count: 32)
    let location = identity.digest { Self.location(identity, url) }
    bytes = location + (secrets.bytes.isEmpty ? none : try digest(secrets.bytes))
  }

  /// Returns the digest of the parts of a request that are no secret.
  private static func location(_ identity: RequestIdentity, _ url: String) -> [UInt8] {
    var location = ByteWriter()
    location.append(url)
    location.append(identity.trust)
    for field in identity.baseHeaders where publicNames.contains(field.name) {
      location.append(field.name)
      location.append(field.value)
    }
    return SHA256.digest(location.bytes)
  }
}
