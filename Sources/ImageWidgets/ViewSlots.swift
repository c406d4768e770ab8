import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// What ImageWidgets keeps with a view: its slots, and what else is under way for it. Goes with the view.
final class ViewSlots: ViewAttachment {
  /// In the order of their first use. A few at most, so a list serves better than a dictionary.
  private var slots: [ImageSlot] = []
  var operations: [String: any Cancellable] = [:]
  /// Of the operation that was kept last.
  var latestOperationKey: String?

  func slot(forKey key: SlotKey) -> ImageSlot? { slots.first { $0.target.key == key } }

  func slot(for target: some SlotTarget) -> ImageSlot {
    if let slot = slot(forKey: target.key) { return slot }
    let slot = ImageSlot(target: target)
    slots.append(slot)
    return slot
  }

  func boundsDidChange(of view: View) {
    for slot in slots { slot.sizeDidChange() }
  }

  func didMoveToWindow(_ view: View) {
    for slot in slots { slot.windowDidChange() }
  }

  func didLeaveScreen(_ view: View) {
    for slot in slots { slot.didLeaveScreen() }
  }

  func drawOverlay(of view: View, into list: inout DrawList) {
    for slot in slots { slot.wasDrawn() }
    guard let now = view.window?.now else { return }
    if view.window?.showsDiagnostics == true {
      for slot in slots { slot.drawReport(over: view, into: &list) }
    }
    // One indicator is enough: a button's image goes before its background.
    let waiting = slots.filter { $0.isIndicatorVisible(at: now) }
    (waiting.first { $0.target.goesFirst } ?? waiting.first)?.drawIndicator(over: view, at: now, into: &list)
  }
}

extension View {
  /// The slots of the view; nil while it has none.
  var existingSlots: ViewSlots? { attachment as? ViewSlots }

  /// The slots of the view, made on first use.
  var slots: ViewSlots {
    if let existingSlots { return existingSlots }
    let slots = ViewSlots()
    attachment = slots
    return slots
  }
}
