/// A position within the steps of a response: returns the next action and is told the number of bytes sent.
///
/// Times are in nanoseconds of one monotonic clock.
struct ResponseCursor {
  private let plan: ResponsePlan
  private var index = 0
  private var offset = 0
  private var wakeTime: UInt64?
  private var pace: Pace?

  enum Action: Equatable {
    case send(Piece)
    case sleep(until: UInt64)
    case stall
    case reset
    case close

    /// The response is complete; the connection can take its next request.
    case finish
  }

  /// Bytes to send. The caller reports with `sent` how many of them were sent.
  struct Piece: Equatable {
    var source: Body
    var range: Range<Int>
    var isBody: Bool

    /// True if more bytes can be sent immediately after these.
    var isFollowed: Bool
  }

  init(_ plan: ResponsePlan) {
    self.plan = plan
    pace = plan.bytesPerSecond.map { Pace(bytesPerSecond: $0) }
  }

  /// True if every byte of the response was sent, so that at most closing the connection remains.
  var hasSentEverything: Bool {
    guard index < plan.steps.count else { return true }
    return plan.steps[index] == .close || plan.steps[index] == .reset
  }

  /// Returns the action to take at `now`. Repeated calls return the same action.
  mutating func next(at now: UInt64) -> Action {
    while index < plan.steps.count {
      switch plan.steps[index] {
      case .wait(let milliseconds):
        let clamped = max(0, min(milliseconds, Behaviour.Latency.maximumMilliseconds))
        let wake = wakeTime ?? now + UInt64(clamped) * 1_000_000
        wakeTime = wake
        if now < wake { return .sleep(until: wake) }
        wakeTime = nil
        index += 1
      case .frame(let bytes):
        return .send(
          Piece(
            source: .bytes(bytes), range: offset..<bytes.count, isBody: false, isFollowed: isFollowedByBytes))
      case .body(let source, let range):
        let remaining = (range.lowerBound + offset)..<range.upperBound
        switch pace?.grant(remaining.count, at: now) {
        case .wait(let wake): return .sleep(until: wake)
        case .bytes(let count):
          return .send(Piece(source: source, range: remaining.prefix(count), isBody: true, isFollowed: false))
        case nil:
          return .send(Piece(source: source, range: remaining, isBody: true, isFollowed: isFollowedByBytes))
        }
      case .jump(let target): index = target
      case .stall: return .stall
      case .reset: return .reset
      case .close: return .close
      }
    }
    return .finish
  }

  /// Counts the bytes of the last piece that were sent.
  mutating func sent(_ count: Int) {
    let length: Int
    switch plan.steps[index] {
    case .frame(let bytes): length = bytes.count
    case .body(_, let range):
      length = range.count
      pace?.count(count)
    default: return
    }
    offset += count
    if offset >= length {
      index += 1
      offset = 0
    }
  }

  private var isFollowedByBytes: Bool {
    guard index + 1 < plan.steps.count else { return false }
    switch plan.steps[index + 1] {
    case .frame: return true
    case .body: return pace == nil
    case .wait, .jump, .stall, .reset, .close: return false
    }
  }
}
