public import VitrineConcurrency
import VitrineLoading
public import VitrineWidgets

extension View {
  /// Keeps an operation under a key and cancels the operation that was kept there before (SDWebImage's
  /// `sd_setImageLoadOperation`). The operation is released with the view, but not cancelled.
  public func setLoadOperation(_ operation: any Cancellable, forKey key: String) {
    let slots = slots
    let previous = slots.operations.updateValue(operation, forKey: key)
    slots.latestOperationKey = key
    if previous !== operation { previous?.cancel() }
  }

  /// Returns the operation kept under a key (SDWebImage's `sd_imageLoadOperationForKey`), or `nil`. Loads of slots are
  /// removed when they end.
  public func loadOperation(forKey key: String) -> (any Cancellable)? { existingSlots?.operations[key] }

  /// The key under which an operation was set last, by a load of a slot or by `setLoadOperation` (SDWebImage's
  /// `sd_latestOperationKey`). The operation may have ended.
  public var latestLoadOperationKey: String? { existingSlots?.latestOperationKey }

  /// Cancels and removes the operation that was set last; does nothing if it has been removed (SDWebImage's
  /// `sd_cancelLatestImageLoad`).
  public func cancelLatestLoadOperation() {
    if let key = latestLoadOperationKey { cancelLoadOperation(forKey: key) }
  }

  /// Cancels and removes the operation kept under a key.
  public func cancelLoadOperation(forKey key: String) {
    existingSlots?.operations.removeValue(forKey: key)?.cancel()
  }

  /// Removes the operation kept under a key without a cancel.
  public func removeLoadOperation(forKey key: String) {
    existingSlots?.operations.removeValue(forKey: key)
  }

  /// Removes `operation`, unless another operation is kept under the key by now.
  func removeLoadOperation(_ operation: (any Cancellable)?, forKey key: String) {
    if existingSlots?.operations[key] === operation { removeLoadOperation(forKey: key) }
  }
}
