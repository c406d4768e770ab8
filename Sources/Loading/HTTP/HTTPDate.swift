/// A parser for HTTP dates (RFC 9110, 5.6.7) in all three formats, of which two are obsolete but still sent.
enum HTTPDate {
  /// The bytes of a part of a date. They are split much faster than a `Substring`, and each response has several dates.
  private typealias Part = Slice<UnsafeBufferPointer<UInt8>>

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ].map { Array($0.utf8) }

  /// Returns the seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`
  /// or `Sun Nov  6 08:49:37 1994`; nil for any other text.
  ///
  /// A two-digit year is a year from 1970 to 2069. RFC 9110 counts from the current year instead, but the clock may be
  /// wrong.
  static func seconds(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { seconds($0[...]) }
  }

  private static func seconds(_ text: Part) -> Double? {
    let parts = text.split(separator: UInt8(ascii: " "))
    switch parts.count {
    case 6 where isDay(parts[0]) && isGMT(parts[5]):
      return seconds(day: parts[1], month: parts[2], year: number(parts[3]), time: parts[4])
    case 4 where isDay(parts[0]) && isGMT(parts[3]):
      let date = parts[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard date.count == 3, date[2].count == 2, let year = number(date[2]) else { return nil }
      return seconds(
        day: date[0], month: date[1], year: year < 70 ? 2000 + year : 1900 + year, time: parts[2])
    case 5:
      return seconds(day: parts[2], month: parts[1], year: number(parts[4]), time: parts[3])
    default: return nil
    }
  }

  private static func isDay(_ part: Part) -> Bool { part.last == UInt8(ascii: ",") }

  private static func isGMT(_ part: Part) -> Bool { part.elementsEqual("GMT".utf8) }

  private static func seconds(day: Part, month: Part, year: Int?, time: Part) -> Double? {
    guard let day = number(day), let month = months.firstIndex(where: { $0.elementsEqual(month) }), let year
    else { return nil }
    let time = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { number($0) ?? -1 }
    guard (1...31).contains(day), (1600...9999).contains(year), time.count == 3,
      (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
    else { return nil }
    let days = daysSince1970(year, month + 1, day)
    // After 2038 the number of seconds exceeds a 32-bit `Int`.
    return Double(days) * 86400 + Double(time[0] * 3600 + time[1] * 60 + time[2])
  }

  /// Parses one to nine digits, and no sign.
  private static func number(_ part: Part) -> Int? {
    guard (1...9).contains(part.count) else { return nil }
    var number = 0
    for byte in part {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
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
