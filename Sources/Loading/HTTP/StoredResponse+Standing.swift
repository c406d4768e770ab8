/// The freshness of a stored response (RFC 9111, 4.2; RFC 5861).
extension StoredResponse {
  enum Standing: Hashable {
    /// The response may be shown without a request to the server.
    case fresh
    /// The response must be revalidated. `age` is in seconds since the response was last known to be valid; 0 if
    /// unknown.
    case stale(age: Double, mayShowWhileRevalidating: Bool, mayShowOnError: Bool)
  }

  /// Returns the freshness of the response at `now`, in seconds since 1970 by this machine's clock, which may be wrong.
  ///
  /// - Parameter isRedirected: True if a redirect led to the response. The redirect may lead elsewhere at any time.
  func standing(
    at now: Double, rules: FreshnessRules = FreshnessRules(), isRedirected: Bool = false
  ) -> Standing {
    let control = CacheControl(response.headers)
    let isNoCache = control.contains("no-cache")
    let age = age(at: now)
    let lifetime = lifetime(rules, control, isRedirected: isRedirected)
    if !isNoCache, let age, age < lifetime { return .fresh }
    // Seconds since the end of the lifetime. A response of unknown age counts as having expired just now.
    let staleness = max(0, (age ?? 0) - lifetime)
    let isStrict = control.requiresRevalidation
    let window = Self.longerWindow(rules.staleWhileRevalidating, control, "stale-while-revalidate")
    let windowOnError = Self.longerWindow(rules.staleOnError, control, "stale-if-error")
    return .stale(
      age: age ?? 0, mayShowWhileRevalidating: !isStrict && window > 0 && staleness <= window,
      mayShowOnError: (!isStrict || rules.ignoresRevalidationOnError) && staleness <= windowOnError)
  }

  /// Returns the number of seconds for which the response is still fresh; 0 for a response that must be revalidated.
  ///
  /// - Parameters:
  ///   - age: The number of seconds since the server last sent or confirmed the response.
  ///   - control: The `Cache-Control` of the response.
  ///   - isRedirected: True if a redirect led to the response.
  func remainingLifetime(
    after age: Double, _ control: CacheControl, rules: FreshnessRules, isRedirected: Bool
  ) -> Double {
    if control.contains("no-cache") { return 0 }
    return max(0, lifetime(rules, control, isRedirected: isRedirected) - age)
  }

  // MARK: Age

  /// The number of seconds by which this machine's clock may be set back after a response has arrived. If the clock has
  /// moved back by more, the age of the response is unknown.
  private static let clockTolerance = 60.0
  /// The number of seconds by which a server's clock may be ahead. A larger difference means that this machine's clock
  /// was behind when the response arrived, as after a start without a battery.
  private static let serverTolerance = 86400.0

  /// Returns true for a plausible time. Sums and differences of plausible times are finite.
  private static func isPlausible(_ seconds: Double) -> Bool { abs(seconds) <= 0x1p53 }

  /// Returns the seconds since the server last confirmed the response (RFC 9111, 4.2.3); nil if the clocks contradict
  /// each other.
  func age(at now: Double) -> Double? {
    guard Self.isPlausible(now), Self.isPlausible(received), received <= now + Self.clockTolerance
    else { return nil }
    let date = response.headers["Date"].flatMap { HTTPDate.seconds($0) }
    let ageOnArrival = response.headers["Age"].flatMap { CacheControl.deltaSeconds($0) } ?? 0
    if let date, date > received + Self.serverTolerance {
      // This machine's clock was wrong when the response arrived. The server's date is trusted once this clock has
      // passed it.
      return date <= now ? ageOnArrival + (now - date) : nil
    }
    let responseDelay = Self.isPlausible(requested) ? max(0, received - requested) : 0
    let apparentAge = date.map { max(0, received - $0) } ?? 0
    return max(apparentAge, ageOnArrival + responseDelay) + max(0, now - received)
  }

  // MARK: Lifetime

  /// Returns the number of seconds for which the response is fresh. Ignores `s-maxage`, which applies to shared caches.
  private func lifetime(_ rules: FreshnessRules, _ control: CacheControl, isRedirected: Bool) -> Double {
    let ownLifetime = statedLifetime(control) ?? heuristicLifetime(rules)
    // Counts from the time at which the redirect was followed, because the response may have been created long before.
    let longestLifetime =
      isRedirected ? (age(at: received) ?? 0) + Self.nonNegative(rules.defaultLifetime) : .infinity
    return max(min(ownLifetime, longestLifetime), Self.nonNegative(rules.minimumLifetime))
  }

  /// Returns the lifetime in seconds that the server states; nil if it states none.
  func statedLifetime(_ control: CacheControl) -> Double? {
    switch control.seconds("max-age") {
    case .number(let seconds): return seconds
    case .invalid: return 0
    case nil: break
    }
    guard let expires = response.headers["Expires"] else { return nil }
    // An invalid date, in particular `0`, means that the response has expired (RFC 9111, 5.3).
    guard let end = HTTPDate.seconds(expires) else { return 0 }
    let lifetime = end - (creationTime ?? .nan)
    return lifetime > 0 ? lifetime : 0
  }

  private func heuristicLifetime(_ rules: FreshnessRules) -> Double {
    guard let lastModified = response.headers["Last-Modified"].flatMap({ HTTPDate.seconds($0) }),
      let creationTime, lastModified <= creationTime
    else { return Self.nonNegative(rules.defaultLifetime) }
    return min((creationTime - lastModified) / 10, Self.nonNegative(rules.maximumHeuristicLifetime))
  }

  /// The time at which the server created the response: the server's `Date`, or the time of arrival if there is none;
  /// nil if neither is known.
  private var creationTime: Double? {
    response.headers["Date"].flatMap { HTTPDate.seconds($0) } ?? (Self.isPlausible(received) ? received : nil)
  }

  private static func nonNegative(_ seconds: Double) -> Double { seconds > 0 ? seconds : 0 }

  /// Returns the longer of the time that the program allows and the time that the server's directive `name` states.
  private static func longerWindow(_ seconds: Double, _ control: CacheControl, _ name: String) -> Double {
    if case .number(let stated) = control.seconds(name) { return max(nonNegative(seconds), stated) }
    return nonNegative(seconds)
  }
}
