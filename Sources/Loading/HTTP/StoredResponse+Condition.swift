/// The freshness of a stored response, for tools that list a cache.
extension StoredResponse {
  /// The freshness under the default rules.
  package enum Condition: Hashable, Sendable {
    case fresh
    case stale
    /// The response is not shown without a request to its server, even if the server cannot be reached.
    case mustRevalidate
  }

  /// Returns the freshness at `now`, in seconds since 1970, under the default `FreshnessRules`.
  ///
  /// - Parameter isRedirected: True if a redirect led to the response.
  package func condition(at now: Double, isRedirected: Bool) -> Condition {
    switch standing(at: now, isRedirected: isRedirected) {
    case .fresh: .fresh
    case .stale(_, _, let mayShowOnError): mayShowOnError ? .stale : .mustRevalidate
    }
  }

  /// Returns the number of seconds since the server last confirmed the response; nil if the clocks contradict each
  /// other.
  package func ageInSeconds(at now: Double) -> Double? { age(at: now) }
}
