/// Changes of the disk that wait for the thread which writes, or are under way. Decides only. Times in nanoseconds.
///
/// They are made one after the other, so that what is written last stays. On a disk that hangs none of them ends: then
/// nobody waits for one any longer, what was to be stored is let go, and what was to be removed is removed when the
/// disk comes back.
struct DiskWrites {
  /// Bodies that wait to be written take no more than this: on a disk that is slower than the network, what comes
  /// meanwhile is not kept.
  static let unwrittenBytesLimit = 16 << 20
  /// Seconds after which a change is taken for one that never ends.
  static let limit = 10.0
  /// The same for one that removes everything.
  static let longLimit = 60.0

  enum Kind {
    /// Let go where it cannot be made soon.
    case store(bytes: Int)
    /// A question.
    case look
    /// Made however late.
    case remove
    case removeAll

    var bytes: Int { if case .store(let bytes) = self { bytes } else { 0 } }
  }

  /// Hears once what has become of a change.
  typealias Answer = @Sendable (Bool) -> Void

  private struct Change {
    let kind: Kind
    var answer: Answer?
  }

  private var changes: [UInt64: Change] = [:]
  private var running: (number: UInt64, end: Int64)?
  private var last: UInt64 = 0
  private var unwrittenBytes = 0
  /// True from the time at which a change was given up until that comes back.
  private(set) var isHanging = false

  /// True if nothing is to be waited for.
  var isIdle: Bool { changes.isEmpty || isHanging }

  /// The number of a change that is to be made, and whether its answer is kept for its end; nil for one that is not made.
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

  /// A change is under way from now on. When `takeOverdue` is to be called; nil for one that was let go.
  mutating func begin(_ number: UInt64, at now: Int64) -> Int64? {
    guard let change = changes[number] else { return nil }
    let limit = if case .removeAll = change.kind { Self.longLimit } else { Self.limit }
    let end = now.advanced(bySeconds: limit)
    running = (number, end)
    return end
  }

  /// A change has been made. Who is to hear of it, unless that has been told.
  mutating func end(_ number: UInt64) -> Answer? {
    guard let change = changes.removeValue(forKey: number) else { return nil }
    unwrittenBytes -= change.kind.bytes
    if running?.number == number {
      running = nil
      isHanging = false
    }
    return change.answer
  }

  /// What is given up since the change under way takes too long: the changes that are not to be made, and who hears that
  /// nothing came of theirs. Else when to ask again, if something is under way.
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
