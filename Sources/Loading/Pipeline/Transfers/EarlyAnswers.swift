import VitrineConcurrency

/// The answers of the disk cache for downloads that still wait for their turn, so that the end of a download starts the
/// next one at once, without a change of threads. Makes decisions only. Times are in nanoseconds.
///
/// An answer may hold the lock of a fetch, for which other processes wait. It is dropped after a short time, and the
/// disk is then asked again when the download could start.
struct EarlyAnswers {
  /// The maximum number of downloads for which the disk is asked early.
  static let countLimit = 8
  /// The number of seconds for which an answer is kept.
  static let lifetime = 1.0

  private struct Answer {
    let preparation: FetchPreparation
    let end: Int64
  }

  /// The downloads whose answers are awaited, with the number of bytes of resumable data that the disk reads for each.
  private var asking: [FetchID: Int] = [:]
  private var answers: [FetchID: Answer] = [:]

  /// True if no answer is awaited.
  var isIdle: Bool { asking.isEmpty }

  private var count: Int { asking.count + answers.count }

  /// True if the disk may be asked about no further download.
  var isFull: Bool { count >= Self.countLimit }

  /// True if half of the answers are used. The disk is then asked about several downloads at once.
  var isHalfEmpty: Bool { count <= Self.countLimit / 2 }

  /// True if an answer for a download is awaited or kept.
  func contains(_ id: FetchID) -> Bool { asking[id] != nil || answers[id] != nil }

  /// True if an answer for a download is kept.
  func has(_ id: FetchID) -> Bool { answers[id] != nil }

  mutating func ask(_ id: FetchID) { asking[id] = 0 }

  /// Notes that the disk reads `bytes` bytes of resumable data before it answers.
  mutating func reads(_ bytes: Int, for id: FetchID) { if asking[id] != nil { asking[id] = bytes } }

  /// Notes that the turn of a download has come before the answer. Returns the number of bytes that the disk reads;
  /// nil if no answer is awaited.
  mutating func takeAsking(_ id: FetchID) -> Int? { asking.removeValue(forKey: id) }

  /// Handles an answer. Returns false if none was awaited early.
  ///
  /// - Parameter isKept: False to ask again when the download could start: another process holds the lock, or has
  ///   stored the response in the meantime.
  mutating func answered(_ id: FetchID, _ preparation: FetchPreparation, isKept: Bool, at now: Int64) -> Bool {
    guard asking.removeValue(forKey: id) != nil else { return false }
    if isKept {
      answers[id] = Answer(preparation: preparation, end: now.advanced(bySeconds: Self.lifetime))
    }
    return true
  }

  /// Removes and returns the answer for a transfer that starts.
  mutating func take(_ id: FetchID) -> FetchPreparation? { answers.removeValue(forKey: id)?.preparation }

  /// Removes a download that has ended or left the queue.
  mutating func leave(_ id: FetchID) {
    asking[id] = nil
    answers[id] = nil
  }

  /// Removes the answers whose time is over, which releases their locks.
  mutating func removeExpired(at now: Int64) {
    guard !answers.isEmpty else { return }
    answers = answers.filter { now < $0.value.end }
  }

  /// The next time at which `removeExpired` removes an answer; nil for none.
  var nextChange: Int64? { answers.values.lazy.map(\.end).min() }
}
