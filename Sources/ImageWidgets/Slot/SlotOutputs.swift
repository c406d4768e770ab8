import VitrineLoading
import VitrineWidgets

/// The reports of a slot: its activity, and the effects on its indicator, recovery and observers that have been decided
/// on and not been performed. A later decision replaces an earlier one of the same kind.
struct SlotOutputs {
  private enum IndicatorChange {
    case start(SlotLoad)
    case end(isLoaded: Bool)
  }

  private enum RecoveryChange {
    case end
    indirect case begin(SlotRequest, SlotResult)
  }

  /// The state of the latest load.
  var activity = Activity.paused
  private var notifiedActivity = Activity.paused
  private var indicator: IndicatorChange?
  private var recovery: RecoveryChange?
  private var event: SlotEvent?
  private var drawsReport = false
  private var checksSize = false

  mutating func startIndicator(of load: SlotLoad) { indicator = .start(load) }
  mutating func endIndicator(isLoaded: Bool) { indicator = .end(isLoaded: isLoaded) }
  mutating func endRecovery() { recovery = .end }

  /// Ends the activity of a load without an image.
  mutating func endActivity() { if activity.isRunning { activity = .ended(success: false) } }

  /// Reports the end of a request.
  mutating func finish(isLoaded: Bool, _ event: SlotEvent?) {
    activity = .ended(success: isLoaded)
    self.event = event
    drawsReport = true
  }

  /// Retries a request automatically if its result is a retryable failure or a stale image.
  mutating func beginRecovery(_ slotRequest: SlotRequest, after result: SlotResult) {
    recovery = .begin(slotRequest, result)
  }

  /// Compares the size of the view with that of the image at the end, because the view may have grown during the load,
  /// or in a hook in which the sizes cannot be compared. An image from memory was looked up at the present size.
  mutating func checkSize() { checksSize = true }

  // MARK: Effects

  /// Returns the next effect on the library's own objects.
  mutating func nextEffect() -> SlotEffect? {
    if let change = indicator {
      indicator = nil
      switch change {
      case .start(let load): return .startIndicator(load)
      case .end(let isLoaded): return .endIndicator(isLoaded: isLoaded)
      }
    }
    if let change = recovery {
      recovery = nil
      switch change {
      case .end: return .endRecovery
      case .begin(let slotRequest, let result): return .beginRecovery(slotRequest, result)
      }
    }
    guard drawsReport else { return nil }
    drawsReport = false
    return .drawReport
  }

  /// Returns the effect for an event that has not been taken.
  func nextEvent() -> SlotEffect? { event == nil ? nil : .announce }

  /// Removes and returns the event for the slot observer.
  mutating func takeEvent() -> SlotEvent? { event.take() }

  /// Returns the notification of a changed activity.
  mutating func nextNotification() -> SlotEffect? {
    guard activity != notifiedActivity else { return nil }
    notifiedActivity = activity
    return .notifyActivity
  }

  /// Returns the comparison of the sizes.
  mutating func nextCheck() -> SlotEffect? {
    guard checksSize else { return nil }
    checksSize = false
    return .checkSize
  }
}
