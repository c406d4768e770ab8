import VitrineLoading

/// Decides what becomes of a redirect: followed, or refused.
struct RedirectPolicy: Sendable {
  enum Decision: Hashable {
    /// The status is none that redirects.
    case isNoRedirect
    case follow(Hop)
    case refuse(ImageError.RedirectRefusal)
  }

  /// Redirects followed at most; libcurl itself would know no limit.
  var limit = 5

  /// What to do at `hop` with an answer of this status and Location.
  func decide(status: Int, location: String?, at hop: Hop) -> Decision {
    guard [301, 302, 303, 307, 308].contains(status) else { return .isNoRedirect }
    let location = location ?? ""
    guard !location.isEmpty else { return .refuse(.badLocation(location)) }
    // Before libcurl parses it: it takes `data:` and `mailto:` for malformed.
    if let scheme = WebAddress.scheme(of: location), !Self.isWeb(scheme) {
      return .refuse(.scheme(scheme))
    }
    guard let address = hop.address.resolving(location) else { return .refuse(.badLocation(location)) }
    let scheme = address.origin.scheme
    guard Self.isWeb(scheme) else { return .refuse(.scheme(scheme)) }
    guard hop.address.origin.scheme == "http" || scheme == "https" else { return .refuse(.downgrade) }
    guard hop.redirects < limit else { return .refuse(.tooMany(limit: limit)) }
    let isSameOrigin = address.origin == hop.address.origin
    return .follow(
      Hop(
        address: address, headers: isSameOrigin ? hop.headers : Self.harmless(hop.headers),
        redirects: hop.redirects + 1))
  }

  private static func isWeb(_ scheme: String) -> Bool { scheme == "http" || scheme == "https" }

  /// The fields that tell another origin nothing. libcurl would drop Authorization and Cookie only, and
  /// send an X-Api-Key along.
  private static func harmless(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(headers.fields.filter { ["accept", "user-agent"].contains($0.name.lowercased()) })
  }
}
