import FoundationEssentials
import VitrineLoading

/// One request of a transfer: the first, or the one that a redirect led to.
struct Hop: Hashable, Sendable {
  var address: WebAddress
  /// What the caller gave, less what may not leave its origin.
  var headers: HTTPHeaders
  /// Redirects followed to come here.
  var redirects = 0
  /// Not over a connection that was used before.
  var needsFreshConnection = false
}

extension Hop {
  /// The first request; throws if it has no address on the web.
  init(_ request: TransportRequest) throws(ImageError) {
    let url = request.url
    if let scheme = url.scheme?.lowercased(), scheme != "http", scheme != "https" {
      throw .unsupportedScheme(scheme)
    }
    guard let address = WebAddress(url) else { throw .invalidURL(url.absoluteString) }
    self.init(address: address, headers: request.headers)
  }
}
