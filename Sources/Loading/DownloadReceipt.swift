public import FoundationEssentials

/// What `download` hands out for a load that has started (AF-F18).
public struct DownloadReceipt: Sendable {
  /// As given to `download`, or made there.
  public let receiptID: UUID
  /// Progress, priority and `cancel()` of this caller's load.
  public let task: ImageTask
}
