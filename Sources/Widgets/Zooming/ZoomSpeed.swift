import Glibc
import VitrineGraphics

/// Tells slow movements of a zoomed image from fast ones.
nonisolated struct ZoomSpeed {
  /// The largest speed of a slow movement, in points per second.
  static let slowestDistance = 250.0
  /// The largest change of the scale's logarithm per second of a slow movement.
  static let slowestScale = 0.5

  private var last: (position: ZoomPosition, time: Double)?

  /// Notes a position. Returns true if the image has moved slowly since the position before.
  mutating func isSlow(_ position: ZoomPosition, at now: Double) -> Bool {
    defer { last = (position, now) }
    guard let last, now > last.time else { return false }
    let time = now - last.time
    let distance = hypot(
      position.offset.x - last.position.offset.x, position.offset.y - last.position.offset.y)
    return distance <= Self.slowestDistance * time
      && abs(log(position.scale / last.position.scale)) <= Self.slowestScale * time
  }
}
