/// The policy for sending failed requests again for slots that are still on the screen.
///
/// ```swift
/// configuration.recovery = RecoveryPolicy(delay: 5, maximumDelay: 600)
/// configuration.recovery = .never
/// ```
///
/// `RetryPolicy` controls the retries within one load, which take seconds. The recovery begins when that load has
/// failed or was served by a stale response, and goes on until the image has arrived or the slot leaves the screen.
/// Permanent errors (404, a damaged image, an unknown format, a limit) are not retried. After a certificate that has
/// expired or is not yet valid, the host is probed at `maximumDelay`, and at once when the system's clock has been set.
/// The host is also probed at `maximumDelay` after a text or an empty body in place of an image, bytes that are not
/// HTTP, a refused content type or redirect, and a certificate that is not trusted, because a captive portal may have
/// responded in place of the server.
///
/// Each host receives one probe at a time, regardless of the number of waiting slots. The n-th probe is sent after the
/// previous failure by a random time between half and all of `delay * 2^(n-1)`. When any request to the host receives a
/// response other than a retryable error and the responses of a captive portal, such as an HTML page, the slots of the
/// host send their requests at once, through the downloader's queue. A request that keeps failing although its host
/// responds to other requests is sent again after delays that grow in the same way. When the network returns, each host
/// is probed at once.
///
/// While the downloader is offline (`ImageDownloader.isOffline`), no request is sent again. When that ends, the requests
/// that have waited for it are sent at once, and each host is probed.
///
/// A server that responds 429 or 503 with `Retry-After` is not probed before that time, `maximumRetryAfter` seconds at
/// most, unless the server responds to another request or the network returns. The time is extended by up to a tenth at
/// random, so that many devices do not return at once.
public struct RecoveryPolicy: Hashable, Sendable {
  /// True to send failed requests of slots again; true by default.
  public var isEnabled: Bool
  /// The maximum time before the first probe of a host, in seconds; 2 by default. Values below 0.1, and NaN, become
  /// 0.1.
  public var delay: Double
  /// The maximum time between two probes of a host, in seconds; 120 by default.
  public var maximumDelay: Double
  /// The maximum time in seconds for which the `Retry-After` of a server delays the next probe, and the downloads from
  /// that server that wait in the queue; 3600 by default. The random extension is added to it.
  public var maximumRetryAfter: Double

  /// Creates a policy; by default, a host is probed after 1 to 2 seconds at first, and every 1 to 2 minutes in the long
  /// run.
  public init(
    isEnabled: Bool = true, delay: Double = 2, maximumDelay: Double = 120, maximumRetryAfter: Double = 3600
  ) {
    self.isEnabled = isEnabled
    self.delay = delay
    self.maximumDelay = maximumDelay
    self.maximumRetryAfter = maximumRetryAfter
  }

  /// A policy that never sends requests again.
  public static let never = RecoveryPolicy(isEnabled: false)

  private static let minimumDelay = 0.1

  /// Returns the number of seconds until the next probe.
  ///
  /// - Parameters:
  ///   - probes: The number of probes that have failed so far.
  ///   - random: A number from 0 to 1.
  func delay(afterProbes probes: Int, random: Double) -> Double {
    let firstDelay = delay >= Self.minimumDelay ? delay : Self.minimumDelay
    let longestDelay = maximumDelay >= firstDelay ? maximumDelay : firstDelay
    return min(firstDelay * Double(1 << min(max(0, probes), 30)), longestDelay) * (0.5 + 0.5 * random)
  }
}
