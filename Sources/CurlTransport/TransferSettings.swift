import Glibc
import VitrineLoading

/// The configuration and values derived from the configuration, for all transfers of a transport.
final class TransferSettings: Sendable {
  let configuration: CurlTransport.Configuration
  let redirects: RedirectPolicy
  let proxies: ProxyRules
  let pins: KeyPins
  /// A filter for options, set by tests; `nil` otherwise.
  let optionFilter: OptionFilter?
  private let credentials: [WebAddress.Origin: CurlTransport.Credential.Secret]
  private let credentialDigests: [WebAddress.Origin: String]

  init(
    _ configuration: CurlTransport.Configuration = .init(), optionFilter: OptionFilter? = nil,
    environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
  ) {
    self.configuration = configuration
    self.optionFilter = optionFilter
    redirects = RedirectPolicy(rules: configuration.redirects)
    proxies = ProxyRules(configuration.proxy, environment: environment)
    pins = KeyPins(configuration.trust.pinnedKeys)
    // If several credentials are for one origin, the last one is used.
    let credentials = configuration.credentials.reduce(
      into: [WebAddress.Origin: CurlTransport.Credential.Secret]()
    ) { secrets, credential in
      guard let origin = WebAddress(credential.origin)?.origin else { return }
      secrets[origin] = credential.secret
    }
    self.credentials = credentials
    credentialDigests = Dictionary(
      uniqueKeysWithValues: credentials.map { ($0.key, $0.value.digest(for: $0.key)) })
  }

  /// True if the transport may add cookies or credentials to requests.
  var addsCredentials: Bool { configuration.cookies != nil || !credentials.isEmpty }

  /// Returns a digest of the credential for a hop; `nil` where `credential(for:)` is `nil`.
  func credentialDigest(for hop: Hop) -> String? {
    credential(for: hop) == nil ? nil : credentialDigests[hop.address.origin]
  }

  /// Returns the credential for a hop; `nil` if there is none, or if the request has a login or an Authorization header
  /// of its own.
  func credential(for hop: Hop) -> CurlTransport.Credential.Secret? {
    guard !credentials.isEmpty, !hop.address.hasLogin, hop.headers["Authorization"] == nil else { return nil }
    return credentials[hop.address.origin]
  }
}

extension CurlTransport.Credential.Secret {
  /// Returns a digest that tells users apart. The digest includes the origin, so that one password has different
  /// digests at two origins.
  fileprivate func digest(for origin: WebAddress.Origin) -> String {
    let originText = "\(origin.scheme)://\(origin.host):\(origin.port)"
    return switch self {
    case .basic(let user, let password): SecretDigest.hex([originText, "basic", user, password])
    case .digest(let user, let password): SecretDigest.hex([originText, "digest", user, password])
    case .bearer(let token): SecretDigest.hex([originText, "bearer", token])
    }
  }
}
