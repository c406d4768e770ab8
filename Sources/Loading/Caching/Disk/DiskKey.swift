import VitrineGraphics

/// What a response is kept under: the URL, whom its transport trusts, and the headers that change the response in any case.
///
/// Headers that a server names in `Vary` take no part, since it is not known before it has been asked: a response says
/// itself whom it is for (`StoredAnswer.varying`). Only digests are written: that of the headers and of a login in the
/// URL, which may be secrets, is made under the key of the folder.
struct DiskKey: Hashable {
  /// Compared with what a file says that it is.
  let bytes: [UInt8]

  /// - Parameter digest: makes the digest of a secret; called only if there is one.
  init<Failure: Error>(
    _ identity: RequestIdentity, digest: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) {
    let (url, login) = identity.url.separatingLogin
    var place = ByteWriter()
    place.append(url)
    place.append(identity.trust)
    var secrets = ByteWriter()
    for field in identity.baseHeaders {
      secrets.append(field.name)
      secrets.append(field.value)
    }
    if let login { secrets.append(login) }
    let none = [UInt8](repeating: 0, count: 32)
    bytes = SHA256.digest(place.bytes) + (secrets.bytes.isEmpty ? none : try digest(secrets.bytes))
  }
}
