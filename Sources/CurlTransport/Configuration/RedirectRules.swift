public import FoundationEssentials

extension CurlTransport {
  /// Which redirects are followed.
  ///
  /// Whatever the rules say, none is followed from https to http or to another scheme, and another origin
  /// (scheme, host, port) is sent Accept and User-Agent alone: no other header, no user and password, no
  /// credential but its own.
  public struct RedirectRules: Sendable {
    /// Redirects followed for one transfer, 5 by default; with 0 or less each is refused with `.tooMany`.
    public var limit: Int
    /// Asked about each redirect that could be followed (AFNetworking's redirect block), on the transport's
    /// thread, which it holds up; nil, the default, follows.
    public var decide: (@Sendable (Redirect) -> Redirect.Decision)?

    /// Five, and nobody to be asked, unless said otherwise.
    public init(limit: Int = 5, decide: (@Sendable (Redirect) -> Redirect.Decision)? = nil) {
      self.limit = limit
      self.decide = decide
    }
  }

  /// A server's answer that what was asked for is elsewhere.
  public struct Redirect: Hashable, Sendable {
    /// Which URL was asked for.
    public let source: URL
    /// Where it is; with the user and password of `source` within its origin, with none in another.
    public let target: URL
    /// 301, 302, 303, 307 or 308.
    public let status: Int

    /// What becomes of a redirect.
    public enum Decision: Hashable, Sendable {
      /// It is followed.
      case follow
      /// The transfer fails with `.redirectRefused(.byRule)`.
      case refuse
      /// This URL is fetched instead, under the same rules.
      case go(to: URL)
    }
  }
}
