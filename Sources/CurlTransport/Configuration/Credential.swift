public import FoundationEssentials

extension CurlTransport {
  /// What to sign in with at one origin, and nowhere else.
  ///
  /// A wrong one is `ImageError.status(401)` after one attempt. Prints without its secret.
  public struct Credential: Hashable, Sendable {
    enum Secret: Hashable {
      case basic(user: String, password: String)
      case digest(user: String, password: String)
      case bearer(token: String)
    }

    let secret: Secret
    /// A URL of the origin; scheme, host and port count. One that is neither http nor https has no
    /// credential.
    public let origin: URL

    /// User and password, sent with each request (RFC 7617); over plain http for everyone on the way to read.
    public static func basic(user: String, password: String, origin: URL) -> Credential {
      Credential(secret: .basic(user: user, password: password), origin: origin)
    }

    /// User and password, proved when the server asks for it (RFC 7616): each transfer takes a request more.
    public static func digest(user: String, password: String, origin: URL) -> Credential {
      Credential(secret: .digest(user: user, password: password), origin: origin)
    }

    /// A token, sent with each request (RFC 6750); over plain http for everyone on the way to read.
    public static func bearer(_ token: String, origin: URL) -> Credential {
      Credential(secret: .bearer(token: token), origin: origin)
    }
  }
}

extension CurlTransport.Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Kind and origin: `digest for https://pictures.example:443`.
  public var description: String {
    let kind =
      switch secret {
      case .basic: "basic"
      case .digest: "digest"
      case .bearer: "bearer"
      }
    guard let origin = WebAddress(origin)?.origin else { return "\(kind) for no origin" }
    return "\(kind) for \(origin.scheme)://\(origin.host):\(origin.port)"
  }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// Nothing: `dump` shows no secret either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
