import FoundationEssentials
import Glibc
import Testing

@testable import VitrineSDLBackend

/// The check for a seat, with a socket in place of a compositor.
struct WaylandSeatTests {
  private func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private func message(_ object: UInt32, _ opcode: UInt32, _ arguments: [UInt8]) -> [UInt8] {
    word(object) + word(UInt32(8 + arguments.count) << 16 | opcode) + arguments
  }

  /// The event of the registry that lists an object.
  private func global(_ interface: String, number: UInt32 = 1) -> [UInt8] {
    var text = Array(interface.utf8) + [0]
    let length = UInt32(text.count)
    while text.count % 4 != 0 { text.append(0) }
    return message(2, 0, word(number) + word(length) + text + word(7))
  }

  private var endOfList: [UInt8] { message(3, 0, word(42)) }

  /// Returns the result of the check on a compositor that replies with `reply` and closes the connection.
  private func isMissing(
    _ reply: [UInt8], now: () -> Double = { SystemTime.now }
  ) throws -> Bool {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { for descriptor in pair { close(descriptor) } }
    #expect(send(pair[1], reply, reply.count, 0) == reply.count)
    shutdown(pair[1], Int32(SHUT_WR))

    let isMissing = WaylandSeat.isMissing(on: pair[0], now: now)

    var request = [UInt8](repeating: 0, count: 100)
    let count = recv(pair[1], &request, request.count, 0)
    // `get_registry` and `sync`.
    #expect(Array(request[..<count]) == message(1, 1, word(2)) + message(1, 0, word(3)))
    return isMissing
  }

  @Test func listWithASeatHasOne() throws {
    #expect(try !isMissing(global("wl_shm") + global("wl_seat", number: 2) + endOfList))
  }

  @Test(arguments: [[], ["wl_shm"], ["wl_shm", "wl_seat_of_another_kind", "xdg_wm_base"]] as [[String]])
  func completeListWithoutASeatHasNone(interfaces: [String]) throws {
    #expect(try isMissing(interfaces.flatMap { global($0) } + endOfList))
  }

  @Test func longListIsReadToItsEnd() throws {
    let objects = (1...1000).flatMap { global("an_interface_with_a_long_name", number: $0) }

    #expect(try isMissing(objects + endOfList))
    #expect(try !isMissing(objects + global("wl_seat") + endOfList))
  }

  @Test func timeLimitAppliesToTheWholeListOfObjects() throws {
    let objects = (1...1000).flatMap { global("an_interface_with_a_long_name", number: $0) }
    var time = 0.0
    func isMissing(secondsPerRead: Double) throws -> Bool {
      try self.isMissing(objects + endOfList) {
        time += secondsPerRead
        return time
      }
    }

    #expect(try isMissing(secondsPerRead: 0.1))
    #expect(try !isMissing(secondsPerRead: 2), "no read takes five seconds, but together they do")
  }

  /// SDL then reports the error itself.
  @Test func incompleteOrImpossibleListIsNotJudged() throws {
    #expect(try !isMissing([]))
    #expect(try !isMissing(global("wl_shm")))
    #expect(try !isMissing(Array(endOfList.dropLast())))
    #expect(try !isMissing(word(2) + word(4 << 16) + endOfList))
  }

  @Test func missingCompositorIsNotJudged() {
    let long = "/" + String(repeating: "x", count: 200)

    for display in [nil, "", "wayland-9", "/nonexistent/wayland-0", long] {
      let environment = ["WAYLAND_DISPLAY": display, "XDG_RUNTIME_DIR": "/nonexistent"]
      #expect(!WaylandSeat.isMissing { environment[$0] ?? nil })
    }
    #expect(!WaylandSeat.isMissing { _ in nil })
  }
}
