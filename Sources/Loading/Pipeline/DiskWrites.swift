/// The queue of disk changes that wait for the writer thread or are under way. Makes decisions only. Times are in
/// nanoseconds.
///
/// Changes are made one after the other, so that the last write wins. On a disk that hangs no change ends. Callers then
/// stop waiting, stores are dropped, and removals are made when the disk responds again.
struct DiskWrites {
  /// The maximum number of bytes of bodies that wait to be written. On a disk slower than the network, further bodies
  /// are not stored.
  static let unwrittenBytesLimit = 16 << 20
  /// The number of seconds after which a change counts as hanging.
  static let limit = 10.0
  /// The same limit for a change that removes everything, in seconds.
  static let longLimit = 60.0

  enum Kind {
    /// A store, dropped if it cannot be made soon.
    case store(bytes: Int)
    /// A look-up.
    case look
    /// A removal, made however late.
    case remove
    case removeAll

    var bytes: Int { if case .store(let bytes) = self { bytes } else { 0 } }
  }

  /// A function that is called once with the result of a change.
  typealias Answer = @Sendable (Bool) -> Void

  private struct Change {
    let kind: Kind
    var answer: Answer?
  }

  private var changes: [UInt64: Change] = [:]
  private var running: (number: UInt64, end: Int64)?
  private var last: UInt64 = 0
  private var unwrittenBytes = 0
  /// True from the time at which a change was given up until it returns.
  private(set) var isHanging = false

  /// True if no change is to be waited for.
  var isIdle: Bool { changes.isEmpty || isHanging }

  /// Adds a change. Returns its number, and whether its completion is kept until its end; nil for a change that is
  /// refused.
  mutating func admit(_ kind: Kind, _ answer: @escaping Answer) -> (number: UInt64, isAnswered: Bool)? {
    switch kind {
    case .store(let bytes):
      guard !isHanging, unwrittenBytes == 0 || unwrittenBytes + bytes <= Self.unwrittenBytesLimit else {
        return nil
      }
    case .look: if isHanging { return nil }
    case .remove, .removeAll: break
    }
    last += 1
    unwrittenBytes += kind.bytes
    changes[last] = Change(kind: kind, answer: isHanging ? nil : answer)
    return (last, !isHanging)
  }

  /// Begins a change. Returns the time at which to call `takeOverdue`; nil for a change that was dropped.
  mutating func begin(_ number: UInt64, at now: Int64) -> Int64? {
    guard let change = changes[number] else { return nil }
    let limit = if case .removeAll = change.kind { Self.longLimit } else { Self.limit }
    let end = now.advanced(bySeconds: limit)
    running = (number, end)
    return end
  }

  /// Ends a change. Returns its completion, unless that has been called already.
  mutating func end(_ number: UInt64) -> Answer? {
    guard let change = changes.removeValue(forKey: number) else { return nil }
    unwrittenBytes -= change.kind.bytes
    if running?.number == number {
      running = nil
      isHanging = false
    }
    return change.answer
  }

  /// Gives up changes because the change under way takes too long. Returns the changes that are dropped and the
  /// completions to call with false. If nothing is overdue, `next` is the time to check again.
  mutating func takeOverdue(at now: Int64) -> (dropped: [UInt64], answers: [Answer], next: Int64?) {
    guard let running, !isHanging else { return ([], [], nil) }
    guard now >= running.end else { return ([], [], running.end) }
    isHanging = true
    var (dropped, answers) = ([UInt64](), [Answer]())
    for (number, change) in changes.sorted(by: { $0.key < $1.key }) {
      if let answer = change.answer { answers.append(answer) }
      changes[number]?.answer = nil
      guard number != running.number else { continue }
      switch change.kind {
      case .store, .look:
        dropped.append(number)
        changes[number] = nil
        unwrittenBytes -= change.kind.bytes
      case .remove, .removeAll: break
      }
    }
    return (dropped, answers, nil)
  }
}
