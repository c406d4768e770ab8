import VitrineConcurrency

/// Limits how often the uses of a file are recorded on disk, as its access time, so that hits do not wear out flash
/// memory.
struct UseRecord: Hashable {
  /// The time in nanoseconds at which this process last recorded a use; nil if it has recorded none.
  private var last: Int64?

  /// Returns true if a use is to be recorded now, because neither the file nor this process has recorded one in the
  /// last `interval` seconds; the use then counts as recorded. The file alone does not decide: its file system may not
  /// keep the exact time.
  ///
  /// - Parameters:
  ///   - interval: The minimum number of seconds between two records.
  ///   - recorded: The last use that the file records, in seconds since 1970.
  ///   - time: The wall-clock time in seconds since 1970.
  ///   - now: The time in nanoseconds of a clock that never goes back.
  mutating func take(every interval: Int64, recorded: Int64, time: Int64, at now: Int64) -> Bool {
    let sinceRecorded = time.subtractingReportingOverflow(recorded).partialValue
    // A recorded use far in the future comes from a wrong clock, and the use is recorded again.
    guard sinceRecorded.magnitude >= interval.magnitude else { return false }
    if let last, now < last.advanced(bySeconds: Double(interval)) { return false }
    last = now
    return true
  }
}
