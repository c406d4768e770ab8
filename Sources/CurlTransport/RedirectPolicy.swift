import FoundationEssentials
import VitrineLoading

/// Decides whether a redirect is followed or refused.
struct RedirectPolicy: Sendable {
  enum Decision: Hashable {
    /// The status is not a redirect.
    case isNoRedirect
    case follow(Hop)
    case refuse(ImageError.RedirectRefusal)
  }

  /// The caller's redirect rules, including the limit on the number of redirects, which libcurl does not have by
  /// default.
  var rules = CurlTransport.RedirectRules()

  /// Decides what to do with a response to `hop`, given its status and Location header.
  func decide(status: Int, location: @autoclosure () -> String?, at hop: Hop) -> Decision {
    guard status >= 300, [301, 302, 303, 307, 308].contains(status) else { return .isNoRedirect }
    let location = location() ?? ""
    guard !location.isEmpty else { return .refuse(.badLocation(location)) }
    // Checked before libcurl parses the location, because libcurl rejects `data:` and `mailto:` URLs as malformed.
    if let scheme = WebAddress.scheme(of: location), !Self.isWeb(scheme) {
      return .refuse(.scheme(scheme))
    }
    guard let address = hop.address.resolving(location) else { return .refuse(.badLocation(location)) }
    if let reason = refusal(of: address, at: hop) { return .refuse(reason) }
    let redirect = CurlTransport.Redirect(source: hop.address.url, target: address.url, status: status)
    switch rules.decide?(redirect) ?? .follow {
    case .follow: return .follow(next(address, after: hop))
    case .refuse: return .refuse(.byRule(to: address.textWithoutLogin))
    case .go(let url):
      if let scheme = url.scheme?.lowercased(), !Self.isWeb(scheme) { return .refuse(.scheme(scheme)) }
      guard let address = WebAddress(url) else { return .refuse(.badLocation(url.absoluteString)) }
      return refusal(of: address, at: hop).map(Decision.refuse) ?? .follow(next(address, after: hop))
    }
  }

  /// Returns why the redirect must be refused without asking the caller's `decide` function; `nil` if it may be
  /// followed.
  private func refusal(of address: WebAddress, at hop: Hop) -> ImageError.RedirectRefusal? {
    let scheme = address.origin.scheme
    guard Self.isWeb(scheme) else { return .scheme(scheme) }
    guard hop.address.origin.scheme == "http" || scheme == "https" else { return .downgrade }
    return hop.redirects < rules.limit ? nil : .tooMany(limit: max(0, rules.limit))
  }

  private func next(_ address: WebAddress, after hop: Hop) -> Hop {
    let isSameOrigin = address.origin == hop.address.origin
    return Hop(
      address: address, headers: isSameOrigin ? hop.headers : Self.harmless(hop.headers),
      redirects: hop.redirects + 1)
  }

  private static func isWeb(_ scheme: String) -> Bool { scheme == "http" || scheme == "https" }

  /// Returns the header fields that may be sent to another origin: Accept and User-Agent. libcurl would drop only
  /// Authorization and Cookie, and would send, for example, X-Api-Key.
  private static func harmless(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(headers.fields.filter { ["accept", "user-agent"].contains($0.name.lowercased()) })
  }
}
