/// Whether an answer that was kept may be shown (RFC 9111, 4.2; RFC 5861).
extension StoredAnswer {
  enum Standing: Hashable {
    /// Shown, without asking the server.
    case fresh
    /// The server is to be asked; `age` in seconds since the answer was last known to be good, 0 where that is not
    /// known.
    case stale(age: Double, mayShowWhileRevalidating: Bool, mayShowOnError: Bool)
  }

  /// What it is worth at `now`, seconds since 1970 by this machine's clock, whatever that says.
  ///
  /// - Parameter isFromElsewhere: it came by a redirect, of which nobody knows how long it leads there.
  func standing(
    at now: Double, rules: FreshnessRules = FreshnessRules(), isFromElsewhere: Bool = false
  ) -> Standing {
    let control = CacheControl(response.headers)
    let mustAsk = control.contains("no-cache")
    let age = age(at: now)
    let lifetime = lifetime(rules, control, isFromElsewhere: isFromElsewhere)
    if !mustAsk, let age, age < lifetime { return .fresh }
    // How long ago it ended to be fresh; of an age that is not known nothing worse is thought.
    let staleness = max(0, (age ?? 0) - lifetime)
    let isStrict = mustAsk || control.contains("must-revalidate")
    let window = Self.longer(rules.staleWhileRevalidating, control, "stale-while-revalidate")
    let windowOnError = Self.longer(rules.staleOnError, control, "stale-if-error")
    return .stale(
      age: age ?? 0,
      mayShowWhileRevalidating: !isStrict && window > 0 && staleness <= window,
      mayShowOnError: (!isStrict || rules.showsOnErrorWhatMustBeRevalidated) && staleness <= windowOnError)
  }

  // MARK: Age

  /// A clock that stands before what it has seen is wrong, but for so many seconds of being set right.
  private static let clockTolerance = 60.0
  /// The clocks of servers differ; one that is ahead by more says that this machine's was behind, as after a start
  /// without a battery.
  private static let serverTolerance = 86400.0

  /// True for a plausible time. Sums and differences of such times are finite.
  private static func isTime(_ seconds: Double) -> Bool { abs(seconds) <= 0x1p53 }

  /// Seconds since the server last vouched for it (RFC 9111, 4.2.3); nil where clocks do not tell.
  func age(at now: Double) -> Double? {
    guard Self.isTime(now), Self.isTime(received), received <= now + Self.clockTolerance else { return nil }
    let date = response.headers["Date"].flatMap { HTTPDate.seconds($0) }
    let ageOnArrival = response.headers["Age"].flatMap { CacheControl.deltaSeconds($0) } ?? 0
    if let date, date > received + Self.serverTolerance {
      // This machine's clock was wrong then; the server's was not, if it is past by now.
      return date <= now ? ageOnArrival + (now - date) : nil
    }
    let delay = Self.isTime(requested) ? max(0, received - requested) : 0
    let apparent = date.map { max(0, received - $0) } ?? 0
    return max(apparent, ageOnArrival + delay) + max(0, now - received)
  }

  // MARK: Lifetime

  /// Seconds for which it is fresh. `s-maxage` is for caches that many share.
  private func lifetime(
    _ rules: FreshnessRules, _ control: CacheControl, isFromElsewhere: Bool
  ) -> Double {
    let own = statedLifetime(control) ?? guessedLifetime(rules)
    // From when the redirect was followed: what it led to may have been made long before.
    let most =
      isFromElsewhere ? (age(at: received) ?? 0) + Self.counted(rules.unstatedLifetime) : .infinity
    return max(min(own, most), Self.counted(rules.minimumLifetime))
  }

  private func statedLifetime(_ control: CacheControl) -> Double? {
    switch control.seconds("max-age") {
    case .number(let seconds): return seconds
    case .invalid: return 0
    case nil: break
    }
    guard let expires = response.headers["Expires"] else { return nil }
    // What is no date, `0` above all, has passed (RFC 9111, 5.3).
    guard let end = HTTPDate.seconds(expires) else { return 0 }
    let lifetime = end - (origin ?? .nan)
    return lifetime > 0 ? lifetime : 0
  }

  private func guessedLifetime(_ rules: FreshnessRules) -> Double {
    guard let changed = response.headers["Last-Modified"].flatMap({ HTTPDate.seconds($0) }), let origin,
      changed <= origin
    else { return Self.counted(rules.unstatedLifetime) }
    return min((origin - changed) / 10, Self.counted(rules.longestGuessedLifetime))
  }

  /// When the server made it, by its own clock if it says so.
  private var origin: Double? {
    response.headers["Date"].flatMap { HTTPDate.seconds($0) } ?? (Self.isTime(received) ? received : nil)
  }

  private static func counted(_ seconds: Double) -> Double { seconds > 0 ? seconds : 0 }

  /// Of what the program allows and what the server does.
  private static func longer(_ seconds: Double, _ control: CacheControl, _ name: String) -> Double {
    if case .number(let stated) = control.seconds(name) { return max(counted(seconds), stated) }
    return counted(seconds)
  }
}
