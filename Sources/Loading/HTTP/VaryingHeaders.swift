import VitrineGraphics

/// The further headers that change the response of a URL, as servers have named them in `Vary` (RFC 9110, 12.5.5).
package struct VaryingHeaders {
  /// The maximum number of remembered URLs. The oldest are forgotten first, and learned again with their next response.
  static let limit = 1000
  /// The maximum number of names of a URL, and the maximum sum of their lengths in bytes. A longer list counts as `*`,
  /// so that the names cannot fill the memory.
  static let maximumNames = 32
  package static let maximumNameBytes = 1 << 10

  /// The names by URL.
  private var names = RecentMap<String, Set<String>>()

  /// Returns the names for a URL in lower case; empty for most URLs. `*` alone means that every header of a request
  /// counts.
  func names(for url: String) -> Set<String> { names[url] ?? [] }

  /// Learns the names in the `Vary` fields of a response. Returns true if a name is new for the URL. Names that are
  /// part of every identity, or that are never sent, are ignored; `Cookie` and `Authorization` are not, because a
  /// transport may add these headers.
  @discardableResult
  mutating func learn(from headers: HTTPHeaders, for url: String) -> Bool {
    let (stated, known) = (Self.names(in: headers), names(for: url))
    guard !stated.isEmpty, known != Self.every else { return false }
    let new = stated.subtracting(Self.unimportant).subtracting(known)
    guard !new.isEmpty else { return false }
    names.insert(Self.bounded(known.union(new)), for: url)
    if names.count > Self.limit { names.removeOldest() }
    return true
  }

  /// The request headers that are part of every `RequestIdentity`, whether a server names them in `Vary` or not.
  static let alwaysCounted = ["Authorization", "Cookie", "Accept", "Accept-Language"]

  private static let unimportant: Set<String> = ["accept", "accept-language", "accept-encoding"]

  /// The set that stands for all headers: `Vary: *`, or more names than can be remembered.
  static let every: Set<String> = ["*"]

  /// Returns the names in the `Vary` fields of a response in lower case, or `every`.
  static func names(in headers: HTTPHeaders) -> Set<String> {
    var count = 0
    headers.forEachValue(of: "Vary") { count += $0.utf8.count }
    guard count > 0 else { return [] }
    return count <= maximumNameBytes ? bounded(Set(headers.words(of: "Vary"))) : every
  }

  private static func bounded(_ names: Set<String>) -> Set<String> {
    let isTooLong = names.count > maximumNames || names.reduce(0) { $0 + $1.utf8.count } > maximumNameBytes
    return isTooLong || names.contains("*") ? every : names
  }
}
