public import FoundationEssentials

/// A receipt for a load that was started by `ImageDownloader.download(_:receiptID:success:failure:)` (AFNetworking's
/// `AFImageDownloadReceipt`).
public struct DownloadReceipt: Sendable {
  /// The identifier given to `download`, or a new one.
  public let receiptID: UUID
  /// The task of this caller's load, with the progress, the priority and `cancel()`.
  public let task: ImageTask
}
