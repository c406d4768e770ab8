/// Rules for how long a stored response is fresh, and for how long a stale response may be shown.
///
/// The directives of servers come first. These rules apply where a server states nothing, and define how far a program
/// goes beyond the server's directives. All numbers are seconds; a negative number and NaN count as 0.
public struct FreshnessRules: Hashable, Sendable {
  /// The lifetime in seconds of a response whose server states neither a lifetime (`max-age`, `Expires`) nor a time of
  /// the last change; 3600 by default, as in Apache's `CacheDefaultExpire`. Also the maximum lifetime of a response
  /// that a redirect led to, because the redirect may lead elsewhere tomorrow; a redirect to the same URL over https is
  /// exempt.
  ///
  /// SDWebImage and YYWebImage never revalidate a file that they have, so a changed image behind a URL is not seen for
  /// days.
  public var defaultLifetime = 3600.0
  /// The maximum heuristic lifetime in seconds; 7 days by default, as in Firefox. The heuristic lifetime is a tenth of
  /// the time from `Last-Modified` to `Date` (RFC 9111, 4.2.2).
  public var maximumHeuristicLifetime = 7 * 86400.0
  /// The minimum lifetime in seconds, which applies even if a server states a shorter one; 0 by default. `no-cache` is
  /// obeyed nevertheless.
  public var minimumLifetime = 0.0
  /// The number of seconds after the end of the lifetime during which a response is shown at once and revalidated
  /// meanwhile; 0 by default. A longer `stale-while-revalidate` of the server takes precedence (RFC 5861, 3). Does not
  /// apply to responses with `no-cache` or `must-revalidate`.
  public var staleWhileRevalidating = 0.0
  /// The number of seconds after the end of the lifetime during which a response is shown if the server cannot be
  /// reached or fails; infinity by default, because a screen must not go blank. A longer `stale-if-error` of the server
  /// takes precedence (RFC 5861, 4).
  public var staleOnError = Double.infinity
  /// The number of seconds for which an image from a stale response stays in the memory cache; 60 by default. The next
  /// load then asks the server again. When the network returns, such images are removed earlier.
  ///
  /// An image from a fresh response serves loads from memory for this time, or until the end of the lifetime of its
  /// response if that is later. After that, a load looks at the disk, and a slot shows the image meanwhile, unless the
  /// response has `no-cache` or `must-revalidate`.
  ///
  /// An image that was not loaded through a disk cache serves loads as long as it is in memory. Unless the response has
  /// `no-cache` or `must-revalidate`, so does an image that may not be stored; and, while the downloader is offline, an
  /// image from a fresh response, which is reported as stale once this time has passed.
  public var staleInMemory = 60.0
  /// True if slots show a stale stored response at once, if the rules allow a stale response when the server fails; true
  /// by default. The server is asked meanwhile, at low priority: an image that has changed replaces the shown image, with
  /// a cross-dissolve if the slot's transition is animated, and an image that the server confirms stays as it is.
  ///
  /// The completion of the slot receives the stale image, without a reason. For `.refresh`, the slot shows the stored
  /// image and the completion receives the image of the server. False makes slots wait for `staleAfter` seconds, like
  /// other callers.
  public var showsStaleAtOnce = true
  /// The number of seconds to wait for a server before a stale stored response is shown, if the rules allow a stale
  /// response when the server fails; 1 by default. `.infinity` waits without limit; 0, a negative number and NaN do not
  /// wait. Slots do not wait unless `showsStaleAtOnce` is false.
  ///
  /// The load ends with `.stale` without a reason. The request continues: its response is stored, and a slot that still
  /// shows the stale image then shows the new one. Without a stored response, and for `.refresh` and `.reload`, only
  /// the timeouts of the transfer apply.
  public var staleAfter = 1.0
  /// True to treat a stale response with `must-revalidate` or `no-cache` like other stale responses: slots show it while
  /// the server is asked, and other callers if the server cannot be reached, fails or is late. False by default, as RFC
  /// 9111, 4.2.4 requires. Many servers send these directives with every response.
  public var ignoresRevalidationOnError = false

  /// Creates rules with the default values.
  public init() {}
}
