import VitrineConcurrency

/// The items of a folder or of a list on this machine, as they were read.
struct LocalList: Sendable {
  let items: Feed.Items
  /// The state of the file before it was read; `nil` if a later change may not change the state, and for a folder, because
  /// a file in it may change.
  let stamp: FileStamp?

  /// Reads a folder or a list.
  ///
  /// - Parameter now: The time in nanoseconds since 1970.
  init(path: String, at now: Int64 = FileStamp.now) throws(FeedError) {
    let stamp = FileStamp(path: path)
    items = try FeedReader.items(at: path)
    self.stamp = stamp.flatMap { $0.isFile && $0.isReliable(at: now) ? $0 : nil }
  }

  /// Reads a folder or a list again; `nil` if it has not changed since `stamp`.
  init?(path: String, changedSince stamp: FileStamp?, at now: Int64 = FileStamp.now) throws(FeedError) {
    if let stamp, stamp == FileStamp(path: path) { return nil }
    try self.init(path: path, at: now)
  }

  /// Reads a folder or a list again, on a thread of its own, because a disk that hangs must not block a thread of the
  /// concurrency pool.
  ///
  /// - Parameter old: The items that are shown.
  /// - Returns: The list and its difference from `old`; `nil` if the list has not changed since `stamp`.
  static func read(
    _ path: String, changedSince stamp: FileStamp?, after old: Feed.Items
  ) async -> Result<(list: LocalList, update: FeedUpdate?)?, FeedError> {
    await withCheckedContinuation { continuation in
      BlockingThread.start {
        continuation.resume(
          returning: Result { () throws(FeedError) in
            guard let list = try LocalList(path: path, changedSince: stamp) else { return nil }
            return (list, FeedUpdate(list.items, after: old))
          })
      }
    }
  }
}
