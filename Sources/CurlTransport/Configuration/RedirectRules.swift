public import FoundationEssentials

extension CurlTransport {
  /// The rules for following redirects.
  ///
  /// Regardless of the rules, a redirect from https to http or to a scheme other than http and https is refused. A
  /// redirect to another origin (scheme, host, port) carries the Accept and User-Agent headers only: no other header,
  /// no user and password, and no credential except one for that origin.
  public struct RedirectRules: Sendable {
    /// The maximum number of redirects followed in one transfer; 5 by default. With 0 or less every redirect is refused
    /// with `.tooMany`.
    public var limit: Int
    /// Decides about each redirect that could be followed (AFNetworking's redirect block). Called on the transport's
    /// thread, where it delays all transfers. `nil`, the default, follows every redirect.
    public var decide: (@Sendable (Redirect) -> Redirect.Decision)?

    /// Creates rules, by default with a limit of five redirects and without a decision by the caller.
    public init(limit: Int = 5, decide: (@Sendable (Redirect) -> Redirect.Decision)? = nil) {
      self.limit = limit
      self.decide = decide
    }
  }

  /// A redirect response of a server.
  public struct Redirect: Hashable, Sendable {
    /// The URL of the request that was redirected.
    public let source: URL
    /// The URL that the redirect leads to. It has the user and password of `source` if it is within the same origin,
    /// and none otherwise.
    public let target: URL
    /// The status: 301, 302, 303, 307 or 308.
    public let status: Int

    /// The decision about a redirect.
    public enum Decision: Hashable, Sendable {
      /// Follows the redirect.
      case follow
      /// Refuses the redirect. The transfer fails with `.redirectRefused(.byRule)`.
      case refuse
      /// Fetches this URL instead. The rules and the limit apply to this URL as well.
      case go(to: URL)
    }
  }
}
