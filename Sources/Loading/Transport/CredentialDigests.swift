/// Digests of what a transport itself adds to a request and tells its users apart: cookies of a jar, a login.
///
/// They decide whether a response that varies with `Cookie` or `Authorization` serves another request. Never put a
/// secret here: digests are compared, and kept on disk.
public struct CredentialDigests: Hashable, Sendable {
  /// A digest of the cookies; nil if none are added.
  public var cookie: String?
  /// A digest of the credential; nil if none is added.
  public var authorization: String?

  /// Nothing is added, unless said otherwise.
  public init(cookie: String? = nil, authorization: String? = nil) {
    self.cookie = cookie
    self.authorization = authorization
  }

  /// True if the transport adds nothing.
  public var isEmpty: Bool { cookie == nil && authorization == nil }

  /// The digests that belong to header names, in lower case, as fields in the order of the names.
  func fields(named names: Set<String>) -> [HTTPHeaders.Field] {
    [("authorization", authorization), ("cookie", cookie)].compactMap { name, digest in
      guard let digest, names.contains(name) else { return nil }
      return HTTPHeaders.Field(name: name, value: digest)
    }
  }
}
