import VitrineGraphics

/// The long press on a row of a list: follows the touches on the list and wakes the window when a finger has rested long
/// enough.
final class RowLongPress: FrameObserver {
  private weak var list: ListView?
  private var recognizer = LongPressRecognizer()
  /// The touch that may become a long press, and the cell under it. The cell knows its row, which may change meanwhile.
  private weak var touch: Touch?
  private weak var cell: ListCell?

  init(of list: ListView) { self.list = list }

  /// Called for each event of a touch on the list, after the scroll view has handled the event.
  func observe(_ touch: Touch) {
    if touch.phase == .began {
      self.touch = touch
      cell = list?.onLongPress == nil ? nil : pressedCell(of: touch)
    }
    // A frame that comes late does not turn a long press into a tap.
    if recognizer.handle(TouchSample(touch)) != nil { press(with: touch) }
    if cell == nil || list?.isDragging == true { recognizer.cancel() }
    schedule()
  }

  /// Cancels the long press, because the list has scrolled.
  func cancel() {
    guard recognizer.deadline != nil else { return }
    recognizer.cancel()
    schedule()
  }

  /// Cancels the long press on a cell that will show another row.
  func cancel(on cell: ListCell) { if cell === self.cell { cancel() } }

  func frame(at now: Double) -> NextFrame {
    if recognizer.advance(to: now) != nil, let touch { press(with: touch) }
    return .never
  }

  private func schedule() {
    guard let window = list?.window else { return }
    if let deadline = recognizer.deadline {
      window.requestFrames(for: self, at: deadline, keepsBusy: false)
    } else {
      window.cancelFrames(for: self)
    }
  }

  private func press(with touch: Touch) {
    guard let list, let row = cell?.row, cell?.list === list else { return }
    cell = nil
    list.press(row, with: touch)
  }

  /// Returns the cell that a touch presses; `nil` for a touch on a control in a cell, or outside of all cells.
  private func pressedCell(of touch: Touch) -> ListCell? {
    var view = touch.view
    while let current = view, current !== list {
      if let cell = current as? ListCell { return cell }
      if current is Control { return nil }
      view = current.superview
    }
    return nil
  }
}
