/// A cache that records the heads of responses where they are found without opening a file, and can do so apart from a
/// lookup.
package protocol HeadRecords: ImageDataCache {
  /// Returns what `head(for:)` returns, and records no head, so that a lookup does not wait for a disk that is busy
  /// writing.
  ///
  /// - Returns: The head, and false if it is not recorded yet. Then call `recordHead(for:)` on a thread that may wait.
  func readHead(for identity: RequestIdentity) -> (head: StoredHead, isRecorded: Bool)?
  /// Records the head of a stored response for later lookups. Does not count as a use or as a miss.
  func recordHead(for identity: RequestIdentity)
}
