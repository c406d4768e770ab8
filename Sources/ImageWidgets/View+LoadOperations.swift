public import VitrineLoading
public import VitrineWidgets

extension View {
  /// Keeps something under way under a name, and cancels what was kept there before (SDWebImage's
  /// `sd_setImageLoadOperation`). Released with the view, not cancelled.
  public func setLoadOperation(_ operation: any Cancellable, forKey key: String) {
    let slots = slots
    let previous = slots.operations.updateValue(operation, forKey: key)
    slots.latestOperationKey = key
    if previous !== operation { previous?.cancel() }
  }

  /// What is kept under a name (SDWebImage's `sd_imageLoadOperationForKey`); nil once a load is over.
  public func loadOperation(forKey key: String) -> (any Cancellable)? { existingSlots?.operations[key] }

  /// The name under which something was kept last, by a load of a slot or by `setLoadOperation` (SDWebImage's
  /// `sd_latestOperationKey`). What was kept there may be over.
  public var latestLoadOperationKey: String? { existingSlots?.latestOperationKey }

  /// Cancels what was kept last, and forgets it; does nothing once it is over (`sd_cancelLatestImageLoad`).
  public func cancelLatestLoadOperation() {
    if let key = latestLoadOperationKey { cancelLoadOperation(forKey: key) }
  }

  /// Cancels what is kept under a name, and forgets it.
  public func cancelLoadOperation(forKey key: String) {
    existingSlots?.operations.removeValue(forKey: key)?.cancel()
  }

  /// Forgets what is kept under a name without cancelling it.
  public func removeLoadOperation(forKey key: String) {
    existingSlots?.operations.removeValue(forKey: key)
  }

  /// Forgets an operation, but not another that has taken its place.
  func removeLoadOperation(_ operation: (any Cancellable)?, forKey key: String) {
    if existingSlots?.operations[key] === operation { removeLoadOperation(forKey: key) }
  }
}
