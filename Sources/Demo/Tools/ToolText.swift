import FoundationEssentials
import Vitrine

/// Sizes and times in words.
nonisolated enum ToolText {
  /// Returns a number of bytes in decimal units, such as `12.3 MB`.
  static func size(_ bytes: Int) -> String {
    let units = ["kB", "MB", "GB", "TB"]
    guard bytes >= 1000 else { return "\(max(0, bytes)) B" }
    var (value, unit) = (Double(bytes) / 1000, 0)
    while value >= 999.95, unit + 1 < units.count {
      value /= 1000
      unit += 1
    }
    return "\((value * 10).rounded() / 10) \(units[unit])"
  }

  /// Returns a duration in its largest unit, such as `3 h`; `?` if it is unknown.
  static func age(_ seconds: Double?) -> String {
    guard let seconds, seconds.isFinite, seconds < 1e12 else { return "?" }
    return "\(StoredAge(seconds: seconds))"
  }

  /// Returns a time in seconds since 1970 as `2026-11-22T14:03:11Z`.
  static func time(_ seconds: Int64) -> String {
    // Years of five digits have no such form.
    let bounded = min(max(0, seconds), 253_402_300_799)
    return Date(timeIntervalSince1970: Double(bounded)).formatted(.iso8601)
  }

  /// Returns the damaged files and those that the system refused to read, such as `2 damaged files and 1 unreadable
  /// file`; `nil` if there are none.
  static func files(damaged: Int, unreadable: Int) -> String? {
    var parts: [String] = []
    if damaged > 0 { parts.append(count(damaged, "damaged file")) }
    if unreadable > 0 { parts.append(count(unreadable, "unreadable file")) }
    return parts.isEmpty ? nil : parts.joined(separator: " and ")
  }

  /// Returns `1 image`, `2 images`.
  static func count(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}
