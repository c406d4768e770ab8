/// The random extension of times at which many devices would otherwise ask a server at once.
enum Jitter {
  /// The fraction by which a time is extended at most.
  static let maximum = 0.1

  /// Returns a time of at least `seconds`, and at most a tenth longer.
  ///
  /// - Parameter random: A random number. Numbers below 0 count as 0, and numbers above 1 as 1.
  static func extended(_ seconds: Double, by random: Double) -> Double {
    seconds * (1 + maximum * max(0, min(random, 1)))
  }
}
