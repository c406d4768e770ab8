import Glibc
import VitrineConcurrency

/// The clock that measures the decode of one frame of an animation. Compared by identity.
package struct FrameClock: Sendable {
  private final class Source: Sendable {
    let now: @Sendable () -> Int64

    init(_ now: @escaping @Sendable () -> Int64) { self.now = now }
  }

  private let source: Source

  /// Creates a clock.
  ///
  /// - Parameter now: Returns nanoseconds, which never go back on one thread.
  package init(_ now: @escaping @Sendable () -> Int64) { source = Source(now) }

  /// The processor time of the calling thread. A frame does not exceed its limit because the machine sleeps or other
  /// programs are running.
  package static let processorTime = FrameClock {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The time in nanoseconds.
  package var now: Int64 { source.now() }

  /// Returns the time this many seconds from now.
  package func time(inSeconds seconds: Double) -> Int64 { now.advanced(bySeconds: seconds) }
}

extension FrameClock: Hashable {
  package static func == (a: FrameClock, b: FrameClock) -> Bool { a.source === b.source }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }
}
