/// When a request whose load has failed is sent again for a slot that is still on the screen.
///
/// ```swift
/// configuration.recovery = RecoveryPolicy(delay: 5, maximumDelay: 600)
/// configuration.recovery = .never
/// ```
///
/// `RetryPolicy` decides about the tries of one load, which takes seconds; the recovery begins when that load has
/// failed, or was served by a stale response, and goes on until the image is there or the slot leaves the screen. Errors
/// that stay (404, not an image, a refused certificate, a limit) are not tried again. A certificate that is expired or
/// not yet valid is tried again when the system's clock has been set.
///
/// Each host is asked by one probe at a time, whatever the number of slots that wait for it: the n-th probe is sent a
/// random time between half and all of `delay * 2^(n-1)` after the failure before it. When any request to the host
/// succeeds, all of its slots ask at once, through the queue of the downloader. When the network returns, each host is
/// probed at once.
public struct RecoveryPolicy: Hashable, Sendable {
  /// Whether failed requests of slots are sent again. True by default.
  public var isEnabled: Bool
  /// The longest time before the first probe of a host, in seconds. 2 by default; below 0.1, and NaN, counts as 0.1.
  public var delay: Double
  /// The longest time between two probes of a host, in seconds. 120 by default.
  public var maximumDelay: Double

  /// Probes of a host after 1 to 2 seconds at first, and after 1 to 2 minutes in the long run.
  public init(isEnabled: Bool = true, delay: Double = 2, maximumDelay: Double = 120) {
    self.isEnabled = isEnabled
    self.delay = delay
    self.maximumDelay = maximumDelay
  }

  /// A failure stays until the slot is asked again.
  public static let never = RecoveryPolicy(isEnabled: false)

  private static let minimumDelay = 0.1

  /// Seconds until the next probe.
  ///
  /// - Parameters:
  ///   - probes: The number of probes that have failed so far.
  ///   - random: A number from 0 to 1.
  func delay(afterProbes probes: Int, random: Double) -> Double {
    let first = delay >= Self.minimumDelay ? delay : Self.minimumDelay
    let most = maximumDelay >= first ? maximumDelay : first
    return min(first * Double(1 << min(max(0, probes), 30)), most) * (0.5 + 0.5 * random)
  }
}
