import Testing

@testable import VitrineSDLBackend

struct WaylandMessageTests {
  @Test func messagesAreAssembledFromSingleBytes() {
    var global = WaylandMessage(object: 2, opcode: 0, words: [7])
    global.append("wl_shm")
    global.append(1)
    let done = WaylandMessage(object: 3, opcode: 0, words: [42])
    let bytes = global.bytes + done.bytes
    var buffer = WaylandBuffer()
    var messages: [WaylandMessage] = []

    for byte in bytes {
      buffer.append([byte])
      while let message = buffer.next() { messages.append(message) }
    }

    #expect(messages == [global, done])
    #expect(buffer.unreadBytes.isEmpty)
    #expect(global.text(at: 4)?.text == "wl_shm")
    #expect(global.word(at: 16) == 1)
  }

  @Test func messageWithAnImpossibleSizeIsNotRead() {
    var buffer = WaylandBuffer()
    buffer.append([1, 0, 0, 0, 0, 0, 4, 0])

    #expect(buffer.next() == nil)
    #expect(buffer.unreadBytes.count == 8)
  }

  @Test func textBeyondTheEndIsNil() {
    #expect(WaylandMessage(object: 1, opcode: 0, words: [4]).text(at: 0) == nil)
    #expect(WaylandMessage(object: 1, opcode: 0, words: [.max]).text(at: 0) == nil)
    #expect(WaylandMessage(object: 1, opcode: 0, words: [0]).text(at: 0) == nil)
    #expect(WaylandMessage(object: 1, opcode: 0).text(at: 0) == nil)
    #expect(WaylandMessage(object: 1, opcode: 0, words: [1]).word(at: 1) == nil)
  }
}

struct SeatStandInTests {
  private var standIn = SeatStandIn()
  private let registry: UInt32 = 2
  private let seat: UInt32 = 4

  init() { _ = standIn.client(sends: WaylandMessage(object: 1, opcode: 1, words: [registry])) }

  private func global(_ interface: String, name: UInt32 = 1) -> WaylandMessage {
    var message = WaylandMessage(object: registry, opcode: 0, words: [name])
    message.append(interface)
    message.append(3)
    return message
  }

  private func bind(name: UInt32) -> WaylandMessage {
    var message = global("wl_seat", name: name)
    message.append(seat)
    return message
  }

  @Test func clientIsOfferedASeat() {
    var standIn = SeatStandIn()
    let request = WaylandMessage(object: 1, opcode: 1, words: [registry])

    let messages = standIn.client(sends: request)

    #expect(messages.toCompositor == [request])
    #expect(messages.toClient == [global("wl_seat", name: SeatStandIn.name)])
  }

  @Test mutating func compositorDoesNotSeeTheSeat() {
    let sync = WaylandMessage(object: 1, opcode: 0, words: [seat])

    #expect(standIn.client(sends: bind(name: SeatStandIn.name)) == .init(toCompositor: [sync]))

    let done = WaylandMessage(object: seat, opcode: 0, words: [1])
    let deleted = WaylandMessage(object: 1, opcode: 1, words: [seat])
    #expect(standIn.compositor(sends: done) == .init())
    #expect(standIn.compositor(sends: deleted) == .init())
  }

  @Test(arguments: ["wl_data_device_manager", "zwp_tablet_manager_v2"])
  mutating func globalsThatNeedASeatAreHidden(interface: String) {
    #expect(standIn.compositor(sends: global(interface)) == .init())
  }

  @Test mutating func otherMessagesPass() {
    let other = WaylandMessage(object: 1, opcode: 1, words: [9])
    #expect(standIn.client(sends: bind(name: 1)) == .init(toCompositor: [bind(name: 1)]))
    #expect(standIn.compositor(sends: global("wl_shm")) == .init(toClient: [global("wl_shm")]))
    #expect(standIn.compositor(sends: other) == .init(toClient: [other]))
  }
}
