import VitrineConcurrency

/// The answers of the disk cache for downloads that still wait for their turn, so that the end of a download starts the
/// next one at once, without a change of threads. Makes decisions only. Times are in nanoseconds.
///
/// Other processes wait while the lock of a fetch is held. An answer therefore expires after a short time.
///
/// An answer is useless in four cases: another process holds the lock, another process has stored the response, the disk
/// has resumable data, which are read only when the download could start, or the answer has expired. After a useless
/// answer, the disk is asked again when the download could start, and not before. Most answers expire if fewer than
/// `countLimit` downloads start in `lifetime`. Each of these downloads then takes long, and the change of threads does
/// not matter.
struct EarlyAnswers {
  /// The maximum number of answers that are awaited or kept.
  static let countLimit = 16
  /// The maximum number of downloads at the front of the queue that are considered.
  static let searchLimit = 2 * countLimit
  /// The number of seconds for which an answer is kept.
  static let lifetime = 1.0

  private struct Answer {
    let preparation: FetchPreparation
    let end: Int64
  }

  /// The downloads whose answers are awaited.
  private var asking: Set<FetchID> = []
  private var answers: [FetchID: Answer] = [:]
  /// The downloads whose answers were useless.
  private var useless: Set<FetchID> = []

  /// True if no answer is awaited.
  var isIdle: Bool { asking.isEmpty }

  private var count: Int { asking.count + answers.count }

  /// True if the disk may be asked about no further download.
  var isFull: Bool { count >= Self.countLimit }

  /// True if at most half of the answers are awaited or kept. Asked only then, the disk is asked about several downloads
  /// at once.
  var isHalfEmpty: Bool { count <= Self.countLimit / 2 }

  /// True if an answer for a download is awaited or kept, or was useless.
  func contains(_ id: FetchID) -> Bool {
    asking.contains(id) || answers[id] != nil || useless.contains(id)
  }

  /// The number of downloads at the front of the queue to consider for an early question.
  var searchCount: Int { min(Self.countLimit + useless.count, Self.searchLimit) }

  /// Notes that the disk is asked about a download.
  mutating func ask(_ id: FetchID) { asking.insert(id) }

  /// Notes that the turn of a download has come before the answer. Returns false if no answer is awaited.
  mutating func stopAsking(_ id: FetchID) -> Bool { asking.remove(id) != nil }

  /// Keeps the answer for a download. Returns false if none was awaited.
  ///
  /// - Parameter isUsable: False to drop the answer, because the answer is useless.
  mutating func answered(
    _ id: FetchID, _ preparation: FetchPreparation, isUsable: Bool, at now: Int64
  ) -> Bool {
    guard asking.remove(id) != nil else { return false }
    if isUsable {
      answers[id] = Answer(preparation: preparation, end: now.advanced(bySeconds: Self.lifetime))
    } else {
      useless.insert(id)
    }
    return true
  }

  /// Removes and returns the answer for a download whose turn has come; nil if there is none.
  mutating func take(_ id: FetchID) -> FetchPreparation? {
    useless.remove(id)
    return answers.removeValue(forKey: id)?.preparation
  }

  /// Removes a download that has ended or left the queue.
  mutating func leave(_ id: FetchID) {
    asking.remove(id)
    answers[id] = nil
    useless.remove(id)
  }

  /// Removes the answers that have expired, which releases their locks.
  mutating func removeExpired(at now: Int64) {
    for id in answers.filter({ now >= $0.value.end }).keys {
      answers[id] = nil
      useless.insert(id)
    }
  }

  /// The next time at which `removeExpired` removes an answer; nil for none.
  var nextChange: Int64? { answers.values.lazy.map(\.end).min() }
}
