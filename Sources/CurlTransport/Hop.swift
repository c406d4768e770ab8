import FoundationEssentials
import VitrineLoading

/// One request of a transfer: the first request, or a request to the target of a redirect.
struct Hop: Hashable, Sendable {
  var address: WebAddress
  /// The caller's header fields, without the fields that must not leave their origin.
  var headers: HTTPHeaders
  /// The number of redirects followed up to this hop.
  var redirects = 0
  /// True if the hop must not reuse an existing connection.
  var needsFreshConnection = false
}

extension Hop {
  /// Creates the first hop of a request. Throws `.unsupportedScheme` or `.invalidURL` if the URL is not a valid http or
  /// https URL.
  init(_ request: TransportRequest) throws(ImageError) {
    let (url, address) = (request.url, WebAddress(request.url))
    guard let address, ["http", "https"].contains(address.origin.scheme) else {
      if let scheme = url.scheme?.lowercased(), scheme != "http", scheme != "https" {
        throw .unsupportedScheme(scheme)
      }
      throw .invalidURL(url.absoluteString)
    }
    self.init(address: address, headers: request.headers)
  }
}
