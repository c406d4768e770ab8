public import FoundationEssentials

extension CurlTransport {
  /// A credential for one origin; it is never sent to another.
  ///
  /// A rejected credential fails the load with `ImageError.status(401)` after one attempt. Printing a credential does
  /// not reveal its secret.
  public struct Credential: Hashable, Sendable {
    enum Secret: Hashable {
      case basic(user: String, password: String)
      case digest(user: String, password: String)
      case bearer(token: String)
    }

    let secret: Secret
    /// A URL of the origin, of which the scheme, host and port count. A credential whose URL is neither http nor https
    /// is never used.
    public let origin: URL

    /// Basic authentication (RFC 7617): sends user and password with each request. Over plain http every host on the
    /// network path can read them.
    public static func basic(user: String, password: String, origin: URL) -> Credential {
      Credential(secret: .basic(user: user, password: password), origin: origin)
    }

    /// Digest authentication (RFC 7616): proves knowledge of the password when the server asks for it. Each transfer
    /// takes one more request.
    public static func digest(user: String, password: String, origin: URL) -> Credential {
      Credential(secret: .digest(user: user, password: password), origin: origin)
    }

    /// Bearer token (RFC 6750): sends the token with each request. Over plain http every host on the network path can
    /// read it.
    public static func bearer(_ token: String, origin: URL) -> Credential {
      Credential(secret: .bearer(token: token), origin: origin)
    }
  }
}

extension CurlTransport.Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind and the origin: `digest for https://images.example:443`.
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

  /// A text equal to `description`.
  public var debugDescription: String { description }

  /// An empty mirror, so that `dump` does not reveal the secret.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
