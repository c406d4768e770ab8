import VitrineConcurrency

/// Decides whether downloads wait for a disk that is slower than the network. Makes decisions only. Times are in
/// nanoseconds.
///
/// Without this wait, images would be missing from the disk after a fast download, because only a limited number of
/// bytes may wait to be written; see `DiskWrites.unwrittenBytesLimit`. A very slow disk must not keep images from the
/// screen, so the wait ends after `limit` seconds, and begins again only after the disk has caught up.
struct DiskBacklog {
  /// The maximum number of seconds for which downloads wait at a time.
  static let limit = 2.0

  /// The time at which downloads stop waiting; `nil` if the disk is not behind.
  private var end: Int64?

  /// Notes whether the disk is behind; see `DiskWrites.isBehind`.
  mutating func setBehind(_ isBehind: Bool, at now: Int64) {
    if !isBehind {
      end = nil
    } else if end == nil {
      end = now.advanced(bySeconds: Self.limit)
    }
  }

  /// True if no download from a server may start.
  func holdsDownloads(at now: Int64) -> Bool { nextChange(after: now) != nil }

  /// The time at which downloads stop waiting; `nil` if they do not wait.
  func nextChange(after now: Int64) -> Int64? { end.flatMap { now < $0 ? $0 : nil } }
}
