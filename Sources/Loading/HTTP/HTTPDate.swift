/// A parser for HTTP dates (RFC 9110, 5.6.7) in all three formats, of which two are obsolete but still sent.
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`
  /// or `Sun Nov  6 08:49:37 1994`; nil for any other text.
  ///
  /// A two-digit year is a year from 1970 to 2069. RFC 9110 counts from the current year instead, but the clock may be
  /// wrong.
  static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: " ")
    switch parts.count {
    case 6 where parts[0].hasSuffix(",") && parts[5] == "GMT":
      return seconds(day: parts[1], month: parts[2], year: parts[3], time: parts[4])
    case 4 where parts[0].hasSuffix(",") && parts[3] == "GMT":
      let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
      guard date.count == 3, date[2].utf8.count == 2, let year = number(date[2]) else { return nil }
      return seconds(
        day: date[0], month: date[1], year: "\(year < 70 ? 2000 + year : 1900 + year)", time: parts[2])
    case 5:
      return seconds(day: parts[2], month: parts[1], year: parts[4], time: parts[3])
    default: return nil
    }
  }

  private static func seconds(
    day: Substring, month: Substring, year: Substring, time: Substring
  ) -> Double? {
    guard let day = number(day), let month = months.firstIndex(of: String(month)), let year = number(year)
    else { return nil }
    let time = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0) ?? -1 }
    guard (1...31).contains(day), (1600...9999).contains(year), time.count == 3,
      (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
    else { return nil }
    let days = daysSince1970(year, month + 1, day)
    // After 2038 the number of seconds exceeds a 32-bit `Int`.
    return Double(days) * 86400 + Double(time[0] * 3600 + time[1] * 60 + time[2])
  }

  /// Parses digits only; `Int` alone would also accept a sign.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  /// Returns the number of days since 1970 in the Gregorian calendar. Years are counted from March, so that a leap day
  /// is the last day of a year.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month > 2 ? year : year - 1
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
