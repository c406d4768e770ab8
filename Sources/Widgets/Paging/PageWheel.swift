/// Turns the steps of a wheel, or the fractions of a touchpad, into pages or slides: one page per step, and at most one in
/// 0.3 s.
package nonisolated struct PageWheel {
  /// The minimum time between two pages, and the rest after which fractions are forgotten, in seconds.
  static let pause = 0.3

  private var sum = 0.0
  private var lastEvent = -Double.infinity
  private var lastPage = -Double.infinity

  /// Creates a wheel at rest.
  package init() {}

  /// Returns the number of pages to move: 1, -1, or 0.
  ///
  /// - Parameter delta: The turn of the wheel in steps. A positive turn leads to the previous page, as it moves other
  ///   content to the right.
  package mutating func pages(for delta: Double, at now: Double) -> Int {
    if now - lastEvent > Self.pause || sum * delta < 0 { sum = 0 }
    lastEvent = now
    sum += delta
    guard abs(sum) >= 1, now - lastPage >= Self.pause else { return 0 }
    defer { sum = 0 }
    lastPage = now
    return sum > 0 ? -1 : 1
  }
}
