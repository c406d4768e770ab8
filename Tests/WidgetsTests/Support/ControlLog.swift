import VitrineWidgets

/// The events that controls have sent, in order, and the number of presses that began and ended.
final class ControlLog {
  static let allEvents: [ControlEvent] = [
    .touchDown, .touchDownRepeat, .touchDragInside, .touchDragOutside, .touchDragEnter, .touchDragExit,
    .touchUpInside, .touchUpOutside, .touchCancel, .valueChanged, .primaryActionTriggered,
  ]

  var events: [ControlEvent] = []
  var downs: Int { events.count { $0 == .touchDown } }
  var ends: Int { events.count { [.touchUpInside, .touchUpOutside, .touchCancel].contains($0) } }

  /// Adds an action for each event of the control.
  func record(_ control: Control) {
    for event in Self.allEvents {
      control.addAction(for: event) { [self] _ in events.append(event) }
    }
  }
}
