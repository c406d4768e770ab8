/// A time of day.
public nonisolated struct ClockTime: Hashable, Sendable {
  /// The hour, 0 to 23.
  public var hour: Int
  /// The minute, 0 to 59.
  public var minute: Int
  /// The second with fractions, 0 to 61, because a minute may have leap seconds.
  public var second: Double

  /// Creates a time of day; by default at the beginning of the minute.
  public init(hour: Int, minute: Int, second: Double = 0) {
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The hour and the minute in four digits, such as `09:05`.
  public var text: String {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(digits(hour)):\(digits(minute))"
  }

  /// The number of seconds until the next minute begins.
  var secondsToNextMinute: Double { second >= 0 && second < 60 ? 60 - second : 1 }
}
