import FoundationEssentials
import VitrineGraphics

/// The text of a list as its server or the disk has delivered it, and what the headers say about its freshness.
struct FeedResponse: Sendable {
  let bytes: [UInt8]
  /// The URL of the list after redirects.
  let base: URL
  /// True if the server has not confirmed the list.
  let isStale: Bool
  /// The reason why the server has not confirmed the list; `nil` if it has, or if it is still to be asked.
  let reason: ImageError?
  /// The number of seconds since the server last confirmed the list; `nil` if unknown.
  let age: Double?
  /// The number of seconds for which the list does not change, as the server states; 0 if it states nothing.
  let lifetime: Double
  /// True if the list may be shown before its server is asked.
  let mayBeShownAtOnce: Bool

  /// - Parameters:
  ///   - url: The URL of the list, with the login, which the disk does not store.
  ///   - now: The time in seconds since 1970 by this machine's clock.
  init(_ response: ImageResponse, of url: URL, at now: Double, rules: FreshnessRules) {
    bytes = response.data ?? []
    base = Self.listURL(of: response, for: url)
    let headers = response.http?.headers ?? [:]
    let control = CacheControl(headers)
    let stored = response.http.map { StoredResponse(response: $0, body: [], requested: now, received: now) }
    let ageByHeaders = stored?.age(at: now) ?? 0
    switch response.freshness {
    case .fresh, .revalidated:
      (isStale, reason, mayBeShownAtOnce) = (false, nil, true)
      let isFromDisk = response.source == .disk && response.freshness == .fresh
      age = isFromDisk ? Self.known(ageByHeaders) : 0
    case .stale(let age, let reason):
      (isStale, self.reason) = (true, reason)
      self.age = Self.known(age)
      mayBeShownAtOnce = rules.ignoresRevalidationOnError || !control.requiresRevalidation
    }
    let isFresh = !isStale && !control.contains("no-cache")
    lifetime = isFresh ? max(0, (stored?.statedLifetime(control) ?? 0) - ageByHeaders) : 0
  }

  /// Returns the age of a stored response; `nil` for 0, which is reported if the clocks contradict each other.
  private static func known(_ age: Double) -> Double? { age > 0 && age.isFinite ? age : nil }

  /// Returns the URL of the list after redirects. The disk does not store the login, which relative image URLs need.
  private static func listURL(of response: ImageResponse, for url: URL) -> URL {
    guard let finalURL = response.http?.url else { return url }
    let isSameURL = finalURL.absoluteString.separatingLogin.url == url.absoluteString.separatingLogin.url
    return isSameURL ? url : finalURL
  }

  /// Parses the list. Returns `nil` if its items equal those of `old`.
  func update(of old: Feed.Items, name: String) throws(FeedError) -> FeedUpdate? {
    FeedUpdate(Feed.Items(try FeedReader.list(bytes, name: name, base: base)), after: old)
  }
}
