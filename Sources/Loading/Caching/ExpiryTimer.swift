import Synchronization

/// Calls a memory cache each time that an image in it may have become too old. Sleeps while nothing can.
final class ExpiryTimer: Sendable {
  private let clock: any LoadingClock
  /// The time of the next call; nil while none is due.
  private let next = Mutex<Int64?>(nil)

  init(clock: any LoadingClock) { self.clock = clock }

  /// Nanoseconds of the clock.
  var now: Int64 { clock.now }

  /// Calls `sweep` after so many nanoseconds, unless a call is due before that.
  func schedule(after lifetime: Int64, _ sweep: @escaping @Sendable () -> Void) {
    let (time, isTooMuch) = clock.now.addingReportingOverflow(lifetime)
    guard !isTooMuch else { return }
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
