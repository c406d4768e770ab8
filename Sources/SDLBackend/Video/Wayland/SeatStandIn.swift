/// Filters the messages of a Wayland connection so that a compositor without a seat appears to have one, without
/// devices.
///
/// A seat is the keyboard, pointer and touch panel of one user. A machine without these devices has no seat, and SDL
/// before 2.30 crashes there. The compositor must not receive requests for the invented seat. But object numbers must
/// be used without gaps, so the request that creates the seat is replaced by a `sync` with the seat's number, which the
/// compositor answers and forgets.
nonisolated struct SeatStandIn {
  /// The messages to send, in order.
  struct Messages: Hashable {
    var toCompositor: [WaylandMessage] = []
    var toClient: [WaylandMessage] = []
  }

  /// The number of the invented seat in the registry's list. Compositors number their objects from 1, so the numbers do
  /// not collide.
  static let name: UInt32 = 0xFFF0_0001
  /// The version of the invented seat. Before version 5, a client destroys a seat without a request.
  static let version: UInt32 = 3
  /// Interfaces whose requests have a seat as an argument. They are hidden from the client.
  private static let interfacesNeedingSeat: Set = [
    "wl_data_device_manager", "zwp_primary_selection_device_manager_v1", "zwp_text_input_manager_v3",
    "zwp_text_input_manager_v1", "zwp_tablet_manager_v2", "zwp_keyboard_shortcuts_inhibit_manager_v1",
    "zwp_relative_pointer_manager_v1", "zwp_pointer_constraints_v1",
  ]

  private var registries: Set<UInt32> = []
  /// The object numbers of seats that are callbacks of a `sync` for the compositor.
  private var callbacks: Set<UInt32> = []

  /// Opcodes of the client's requests. `Event` has the opcodes of the compositor's events.
  private enum Request {
    static let sync: UInt16 = 0
    static let getRegistry: UInt16 = 1
    static let bind: UInt16 = 0
  }
  private enum Event {
    static let global: UInt16 = 0
    static let done: UInt16 = 0
    static let deleteID: UInt16 = 1
  }

  mutating func client(sends message: WaylandMessage) -> Messages {
    if message.object == WaylandMessage.display, message.opcode == Request.getRegistry,
      let registry = message.word(at: 0)
    {
      registries.insert(registry)
      var global = WaylandMessage(object: registry, opcode: Event.global, words: [Self.name])
      global.append("wl_seat")
      global.append(Self.version)
      return Messages(toCompositor: [message], toClient: [global])
    }
    if registries.contains(message.object), message.opcode == Request.bind, message.word(at: 0) == Self.name,
      let (_, end) = message.text(at: 4), let seat = message.word(at: end + 4)
    {
      callbacks.insert(seat)
      return Messages(toCompositor: [
        WaylandMessage(object: WaylandMessage.display, opcode: Request.sync, words: [seat])
      ])
    }
    return Messages(toCompositor: [message])
  }

  mutating func compositor(sends message: WaylandMessage) -> Messages {
    if callbacks.contains(message.object), message.opcode == Event.done { return Messages() }
    if message.object == WaylandMessage.display, message.opcode == Event.deleteID,
      let number = message.word(at: 0), callbacks.contains(number)
    {
      return Messages()
    }
    if registries.contains(message.object), message.opcode == Event.global,
      let (interface, _) = message.text(at: 4), Self.interfacesNeedingSeat.contains(interface)
    {
      return Messages()
    }
    return Messages(toClient: [message])
  }
}
