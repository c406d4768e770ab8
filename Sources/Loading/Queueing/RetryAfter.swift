/// Seconds that a server asks to wait (RFC 9110, 10.2.3): a number, or a date.
enum RetryAfter {
  /// Returns the delay in seconds; nil if the field is missing or malformed, 0 for a time in the past. At most
  /// `CacheControl.mostSeconds`.
  ///
  /// A date is counted from the answer's own `Date` where it has one, since the clocks of two machines differ, and
  /// from `wallClock`, seconds since 1970, otherwise.
  static func seconds(_ headers: HTTPHeaders, wallClock: () -> Double) -> Double? {
    guard let text = headers["Retry-After"] else { return nil }
    if let seconds = CacheControl.deltaSeconds(text) { return seconds }
    guard let time = HTTPDate.seconds(text) else { return nil }
    let now = headers["Date"].flatMap { HTTPDate.seconds($0) } ?? wallClock()
    return min(max(0, time - now), CacheControl.mostSeconds)
  }
}
