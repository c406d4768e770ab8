/// A question to the disk cache before a transfer.
struct FetchQuestion: Equatable, Sendable {
  let id: FetchID
  let request: ImageRequest
  /// True to take the lock of the fetch.
  let takesLock: Bool
  /// True to continue the download of an earlier run of the program.
  let continues: Bool
  /// True if the download still waits for its turn; see `EarlyAnswers`.
  var isEarly = false

  /// True if the answer may be of use.
  var isUseful: Bool { takesLock || continues }
}
