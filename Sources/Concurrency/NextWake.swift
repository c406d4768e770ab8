/// The next call that a type has scheduled on a `LoadingClock`. An earlier call replaces the scheduled call, which the
/// clock makes nevertheless, and which then does nothing.
package struct NextWake: Sendable {
  private var time: Int64?

  package init() {}

  /// Notes that a call at `time` is needed. Returns false if a call is scheduled for that time or an earlier one.
  @discardableResult
  package mutating func schedule(at time: Int64) -> Bool {
    guard time < self.time ?? .max else { return false }
    self.time = time
    return true
  }

  /// Notes that the call at `time` is made. Returns false if an earlier call has replaced the call.
  @discardableResult
  package mutating func take(at time: Int64) -> Bool {
    guard self.time == time else { return false }
    self.time = nil
    return true
  }
}
