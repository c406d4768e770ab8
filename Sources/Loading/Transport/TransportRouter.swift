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

extension ImageRequest {
  /// True if the request reads from this machine: a file or a data URL.
  var isLocal: Bool { url.isLocal }
}

extension URL {
  fileprivate var isLocal: Bool { LocalTransport.localSchemes.contains(scheme?.lowercased() ?? "") }

  /// True for a data URL, which contains the body.
  var isData: Bool { scheme?.lowercased() == "data" }
}

extension DownloadQueue.Lane {
  /// Creates the lane for downloads of `url`. Downloads from one server share a lane and its limit.
  init(_ url: URL) {
    self =
      url.isLocal
      ? url.isData ? .data : .local
      : .host(scheme: url.scheme ?? "", name: url.host()?.lowercased() ?? "", port: url.port)
  }
}

extension DownloadQueue {
  init(_ configuration: ImageDownloader.Configuration) {
    maximumActive = configuration.maximumActiveDownloads
    maximumPerHost = configuration.maximumActiveDownloadsPerHost
    order = configuration.prioritization
    rateLimit = configuration.rateLimit
    backOff.maximumPause = configuration.retries.maximumDelay
  }
}
