import VitrineConcurrency
import VitrineGraphics
import VitrineLoading
import VitrineWidgets

/// The attachment of ImageWidgets to a view: the view's slots and load operations. Released with the view.
final class ViewSlots: ViewAttachment {
  /// The slots in the order of their first use. An array, because a view has only a few.
  private var slots: [ImageSlot] = []
  var operations: [String: any Cancellable] = [:]
  /// The key of the operation that was set last; it may have ended.
  var latestOperationKey: String?

  func slot(forKey key: SlotKey) -> ImageSlot? { slots.first { $0.target.key == key } }

  func slot(for target: some SlotTarget) -> ImageSlot {
    if let slot = slot(forKey: target.key) { return slot }
    let slot = ImageSlot(target: target)
    slots.append(slot)
    return slot
  }

  func boundsDidChange(of view: View) { for slot in slots { slot.sizeDidChange() } }

  func didMoveToWindow(_ view: View) { for slot in slots { slot.windowDidChange() } }

  func didLeaveScreen(_ view: View) { for slot in slots { slot.didLeaveScreen() } }

  func tileSource(for view: View) -> (any TileSource)? { slot(forKey: .contents)?.tileSource }

  func drawOverlay(of view: View, into list: inout DrawList) {
    for slot in slots { slot.wasDrawn() }
    guard let now = view.window?.now else { return }
    if view.window?.showsDiagnostics == true {
      for slot in slots { slot.drawReport(over: view, into: &list) }
    }
    // At most one indicator is drawn per view; that of a button's image takes precedence over that of its background.
    let waiting = slots.filter { $0.isIndicatorVisible(at: now) }
    (waiting.first { $0.target.goesFirst } ?? waiting.first)?.drawIndicator(over: view, at: now, into: &list)
  }
}

extension View {
  /// The slots of the view; `nil` if the view has none yet.
  var existingSlots: ViewSlots? { attachment as? ViewSlots }

  /// The slots of the view, created on first use.
  var slots: ViewSlots {
    if let existingSlots { return existingSlots }
    let slots = ViewSlots()
    attachment = slots
    return slots
  }
}
