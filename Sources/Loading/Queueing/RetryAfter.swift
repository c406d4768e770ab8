/// Seconds that a server asks to wait (RFC 9110, 10.2.3): a number, or a date.
enum RetryAfter {
  /// Nil where it says nothing that can be understood; 0 for a time that has passed.
  ///
  /// A date is counted from the answer's own `Date` where it has one, since the clocks of two machines differ, and
  /// from `wallClock`, seconds since 1970, otherwise.
  static func seconds(_ headers: HTTPHeaders, wallClock: () -> Double) -> Double? {
    guard let text = headers["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Double(text) }
    guard let time = HTTPDate.seconds(text) else { return nil }
    let now = headers["Date"].flatMap { HTTPDate.seconds($0) } ?? wallClock()
    return max(0, time - now)
  }
}

/// Dates as HTTP writes them (RFC 9110, 5.6.7); of the three forms the one that is not obsolete.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; nil for anything else.
  static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", let day = Int(parts[1]),
      let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3])
    else { return nil }
    let time = parts[4].split(separator: ":").map { Int($0) ?? -1 }
    guard (1...31).contains(day), (1600...9999).contains(year), time.count == 3,
      (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
    else { return nil }
    let days = daysSince1970(year, month + 1, day)
    return Double(days * 86400 + time[0] * 3600 + time[1] * 60 + time[2])
  }

  /// Of the Gregorian calendar, counted in years that begin in March, so that a leap day is the last of its year.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
