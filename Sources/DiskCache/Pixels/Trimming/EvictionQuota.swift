import VitrineConcurrency
import VitrineLoading

/// Bounds the bytes that are evicted, and thereby written again, to the byte limit per day, so that a cache that is too
/// small for a slow slideshow does not wear out flash memory.
struct EvictionQuota {
  static let seconds = 86400.0

  private var start: Int64?
  private var bytes = 0

  /// Takes a number of bytes at a time in nanoseconds. Returns false if today's bytes are used up.
  mutating func take(_ count: Int, limit: Int, at now: Int64) -> Bool {
    if let start, now < start.advanced(bySeconds: Self.seconds) {
      guard bytes.addingSaturated(count) <= limit else { return false }
      bytes = bytes.addingSaturated(count)
    } else {
      (start, bytes) = (now, count)
    }
    return true
  }
}
