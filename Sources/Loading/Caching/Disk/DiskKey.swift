/// What an answer is kept under: the URL, and the headers that change the answer in any case.
///
/// Headers that a server names in `Vary` take no part, since it is not known before it has been asked: an answer says
/// itself whom it is for (`StoredAnswer.varying`). Of the headers and of a login in the URL, which may be secrets, only a
/// hash is written.
struct DiskKey: Hashable {
  /// Compared with what a file says that it is.
  let bytes: [UInt8]

  init(_ identity: RequestIdentity) {
    var headers = ByteWriter()
    for field in identity.baseHeaders {
      headers.append(field.name)
      headers.append(field.value)
    }
    let (url, login) = identity.url.separatingLogin
    if let login { headers.append(login) }
    var writer = ByteWriter()
    writer.append(url)
    let hash = headers.bytes.isEmpty ? ContentHash(high: 0, low: 0) : ContentHash(headers.bytes)
    writer.append(hash)
    bytes = writer.bytes
  }
}
