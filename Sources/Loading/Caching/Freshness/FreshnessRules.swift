/// How long what was kept is shown without asking its server again, and how long at all.
///
/// The servers' word comes first: these rules say what holds where they say nothing, and how far a program goes
/// beyond it. Numbers are seconds; below 0, and NaN, counts as 0.
public struct FreshnessRules: Hashable, Sendable {
  /// How long an answer is fresh of which its server says neither how long (`max-age`, `Expires`) nor when it was
  /// last changed; 3600 by default, as in Apache's `CacheDefaultExpire`. Also the most for an answer that a redirect led
  /// to, since tomorrow it may lead elsewhere; unless it led to the same URL over https.
  ///
  /// SDWebImage and YYWebImage never ask again while they have a file; then a picture that changes under its URL is not
  /// seen for days.
  public var unstatedLifetime = 3600.0
  /// The most that is guessed from the time since the last change, of which a tenth is taken (RFC 9111, 4.2.2); 7 days
  /// by default, as in Firefox.
  public var longestGuessedLifetime = 7 * 86400.0
  /// However short a server says, it is not asked more often than this; 0 by default. `no-cache` holds nevertheless.
  public var minimumLifetime = 0.0
  /// How long after its time an answer is shown at once, while the server is asked; 0 by default. A longer
  /// `stale-while-revalidate` of the server counts (RFC 5861, 3).
  public var staleWhileRevalidating = 0.0
  /// How long after its time an answer is shown when the server cannot be reached or fails; without end by default, as a
  /// screen must not go blank. A longer `stale-if-error` of the server counts (RFC 5861, 4).
  public var staleOnError = Double.infinity
  /// How long memory serves what is shown for want of its server, until that is asked again; 60 by default. The return of
  /// the network ends it too.
  public var staleInMemory = 60.0
  /// The number of seconds to wait for a server before a stored stale response is shown, if the rules allow a stale
  /// response when the server fails. 1 by default; `.infinity` waits without limit; 0, less, and not a number do not wait. The load ends with `.stale` and no
  /// reason. The request goes on: its response is stored, and a slot that still shows the stale image then shows the
  /// new one. Without a stored response, and for `.refresh` and `.reload`, only the timeouts of the transfer apply.
  public var staleAfter = 1.0
  /// Whether, when the server cannot be reached or fails, also that is shown which it forbids to show unasked, by
  /// `must-revalidate` or `no-cache`; false by default (RFC 9111, 4.2.4). Many servers send them with everything.
  public var showsOnErrorWhatMustBeRevalidated = false

  /// The defaults.
  public init() {}
}
