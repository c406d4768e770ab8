import Glibc

/// Formats a time as an HTTP date, such as "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, section 5.6.7).
func httpDate(secondsSince1970 seconds: Int) -> String {
  var time = time_t(seconds)
  var parts = tm()
  gmtime_r(&time, &parts)
  let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
  let day = "\(twoDigits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(Int(parts.tm_year) + 1900)"
  return "\(weekdays[Int(parts.tm_wday)]), \(day) \(clock) GMT"
}

private func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
