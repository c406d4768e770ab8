public import VitrineLoading
public import VitrineWidgets

extension View {
  /// Keeps something under way under a name, and cancels what was kept there before (SDWebImage's
  /// `sd_setImageLoadOperation`). Released with the view, not cancelled.
  public func setLoadOperation(_ operation: any Cancellable, forKey key: String) {
    let previous = slots.operations.updateValue(operation, forKey: key)
    if previous !== operation { previous?.cancel() }
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
