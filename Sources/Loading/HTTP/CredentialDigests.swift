/// Digests of the credentials that a transport itself adds to a request: cookies of a jar, a login. Created by a
/// `DataTransport` that adds any.
///
/// The digests decide whether a response that varies with `Cookie` or `Authorization` may be used for another request.
/// Never store a secret here: digests are compared, and stored on disk.
public struct CredentialDigests: Hashable, Sendable {
  /// A digest of the cookies; nil if none are added.
  public var cookie: String?
  /// A digest of the credential; nil if none is added.
  public var authorization: String?

  /// Creates digests; nil by default, for a transport that adds nothing.
  public init(cookie: String? = nil, authorization: String? = nil) {
    self.cookie = cookie
    self.authorization = authorization
  }

  /// True if the transport adds no credentials.
  package var isEmpty: Bool { cookie == nil && authorization == nil }

  /// Returns the digests for the given header names (in lower case) as fields, ordered by name; all digests for
  /// `VaryingHeaders.every`.
  func fields(named names: Set<String>) -> [HTTPHeaders.Field] {
    [("authorization", authorization), ("cookie", cookie)].compactMap { name, digest in
      guard let digest, names.contains(name) || names == VaryingHeaders.every else { return nil }
      return HTTPHeaders.Field(name: name, value: digest)
    }
  }
}
