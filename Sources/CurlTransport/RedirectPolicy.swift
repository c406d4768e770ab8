import FoundationEssentials
import VitrineLoading

/// Decides what becomes of a redirect: followed, or refused.
struct RedirectPolicy: Sendable {
  enum Decision: Hashable {
    /// The status is none that redirects.
    case isNoRedirect
    case follow(Hop)
    case refuse(ImageError.RedirectRefusal)
  }

  /// The caller's part of it; libcurl itself would know no limit.
  var rules = CurlTransport.RedirectRules()

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

  /// Why nobody needs to be asked.
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

  /// The fields that tell another origin nothing. libcurl would drop Authorization and Cookie only, and
  /// send an X-Api-Key along.
  private static func harmless(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(headers.fields.filter { ["accept", "user-agent"].contains($0.name.lowercased()) })
  }
}
