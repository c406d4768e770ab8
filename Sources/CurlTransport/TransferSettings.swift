import Glibc
import VitrineLoading

/// The configuration with what follows from it, for all transfers of a transport.
final class TransferSettings: Sendable {
  let configuration: CurlTransport.Configuration
  let redirects: RedirectPolicy
  let proxies: ProxyRules
  let pins: KeyPins
  /// Nil outside of tests.
  let optionFilter: OptionFilter?
  private let credentials: [WebAddress.Origin: CurlTransport.Credential.Secret]

  init(
    _ configuration: CurlTransport.Configuration = .init(), optionFilter: OptionFilter? = nil,
    environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
  ) {
    self.configuration = configuration
    self.optionFilter = optionFilter
    redirects = RedirectPolicy(rules: configuration.redirects)
    proxies = ProxyRules(configuration.proxy, environment: environment)
    pins = KeyPins(configuration.trust.pinnedKeys)
    // Of several for one origin the last.
    credentials = configuration.credentials.reduce(into: [:]) { known, credential in
      guard let origin = WebAddress(credential.origin)?.origin else { return }
      known[origin] = credential.secret
    }
  }

  /// What a hop signs in with; nil if nothing, or if the request brings its own.
  func credential(for hop: Hop) -> CurlTransport.Credential.Secret? {
    guard !credentials.isEmpty, !hop.address.hasLogin, hop.headers["Authorization"] == nil else { return nil }
    return credentials[hop.address.origin]
  }
}
