import FoundationEssentials

/// Selects the transport for a URL: the first transport that serves the scheme.
struct TransportRouter: Sendable {
  let transports: [any DataTransport]
  private let byScheme: [String: any DataTransport]

  init(_ transports: [any DataTransport]) {
    self.transports = transports
    byScheme = transports.reduce(into: [:]) { routes, transport in
      for scheme in transport.schemes where routes[scheme] == nil { routes[scheme] = transport }
    }
  }

  /// Returns the transport for a URL. Throws `.invalidURL` for a relative URL, and `.unsupportedScheme` if no transport
  /// serves the scheme.
  func transport(for url: URL) throws(ImageError) -> any DataTransport {
    guard let scheme = url.scheme, !scheme.isEmpty else { throw .invalidURL(url.absoluteString) }
    guard let transport = byScheme[scheme.lowercased()] else { throw .unsupportedScheme(scheme) }
    return transport
  }
}
