/// A parser for `Retry-After` (RFC 9110, 10.2.3), a number of seconds or a date.
enum RetryAfter {
  /// Returns the delay in seconds; nil if the field is missing or malformed, 0 for a time in the past. At most
  /// `CacheControl.maximumSeconds`.
  ///
  /// A date is compared with the `Date` of the same response if there is one, because the clocks of two machines
  /// differ, and otherwise with `wallClock`, in seconds since 1970.
  static func seconds(_ headers: HTTPHeaders, wallClock: () -> Double) -> Double? {
    guard let text = headers["Retry-After"] else { return nil }
    if let seconds = CacheControl.deltaSeconds(text) { return seconds }
    guard let time = HTTPDate.seconds(text) else { return nil }
    let now = headers["Date"].flatMap { HTTPDate.seconds($0) } ?? wallClock()
    return min(max(0, time - now), CacheControl.maximumSeconds)
  }
}
