import Synchronization
import VitrineConcurrency

/// Calls a memory cache when one of the cached images may have expired. Sleeps while no image can expire.
final class ExpiryTimer: Sendable {
  private let clock: any LoadingClock
  /// The time of the next call; nil if none is scheduled.
  private let next = Mutex<Int64?>(nil)

  init(clock: any LoadingClock) { self.clock = clock }

  /// The current time of the clock in nanoseconds.
  var now: Int64 { clock.now }

  /// Calls `sweep` after `lifetime` nanoseconds, unless an earlier call is scheduled.
  func schedule(after lifetime: Int64, _ sweep: @escaping @Sendable () -> Void) {
    let (time, didOverflow) = clock.now.addingReportingOverflow(lifetime)
    guard !didOverflow else { return }
    let isNew = next.withLock { next in
      if let next, next <= time { return false }
      next = time
      return true
    }
    guard isNew else { return }
    clock.wake(at: time) { [weak self] in
      let isCurrent = self?.next.withLock { next in
        guard next == time else { return false }
        next = nil
        return true
      }
      if isCurrent == true { sweep() }
    }
  }
}
