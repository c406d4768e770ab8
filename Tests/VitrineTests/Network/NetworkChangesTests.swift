import Glibc
import Testing

@testable import Vitrine

/// Messages of the kernel about network interfaces, as bytes.
@Suite struct NetworkChangesTests {
  private func bytes<each Value>(of values: repeat each Value) -> [UInt8] {
    var all: [UInt8] = []
    repeat withUnsafeBytes(of: each values) { all += $0 }
    return all
  }

  private func message(_ kind: UInt16, _ body: [UInt8]) -> [UInt8] {
    var message = bytes(of: UInt32(16 + body.count), kind, UInt16(0), UInt32(0), UInt32(0)) + body
    while message.count % 4 != 0 { message.append(0) }
    return message
  }

  private func link(_ index: UInt32, flags: UInt32, isDeleted: Bool = false) -> [UInt8] {
    message(isDeleted ? 17 : 16, bytes(of: UInt8(0), UInt8(0), UInt16(1), index, flags, UInt32(0)))
  }

  /// A message about the address that ends in `last`, with a lifetime, which changes on each renewal.
  private func address(
    scope: UInt8 = 0, _ last: UInt8 = 1, lifetime: UInt32 = 60, link: UInt32 = 3, attributeLength: UInt16 = 8,
    isDeleted: Bool = false
  ) -> [UInt8] {
    let attributes =
      bytes(of: attributeLength, UInt16(1)) + [10, 0, 0, last]
      + bytes(of: UInt16(20), UInt16(6), lifetime, lifetime, UInt32(0), UInt32(0))
    return message(isDeleted ? 21 : 20, [2, 24, 0, scope] + bytes(of: link) + attributes)
  }

  private func read(_ changes: inout NetworkChanges, _ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { changes.read($0) }
  }

  private let connected: UInt32 = 0x11043
  private let unplugged: UInt32 = 0x1003

  @Test func connectedLinkIsReportedOnce() {
    var changes = NetworkChanges()
    let received = [
      link(2, flags: unplugged), link(2, flags: connected), link(2, flags: connected),
      link(2, flags: unplugged),
      link(2, flags: connected), link(2, flags: 0, isDeleted: true), link(2, flags: connected),
    ].map { read(&changes, $0) }
    #expect(received == [false, true, false, false, true, false, true])
  }

  @Test func routableAddressIsANetwork() {
    for (scope, isNetwork) in [(0, true), (200, true), (253, false), (254, false)] as [(UInt8, Bool)] {
      var changes = NetworkChanges()
      #expect(read(&changes, address(scope: scope)) == isNetwork)
    }
  }

  /// A router renews the lifetime of an address again and again.
  @Test func renewedAddressIsNotANewNetwork() {
    var changes = NetworkChanges()
    let received = [
      address(1), address(1, lifetime: 120), address(2), address(1), address(1, isDeleted: true), address(2),
      address(1),
    ].map { read(&changes, $0) }
    #expect(received == [true, false, true, false, false, false, true])
  }

  @Test func sameAddressOnAnotherLinkIsAnotherNetwork() {
    var changes = NetworkChanges()
    let received = [address(link: 3), address(link: 4), address(link: 3)].map { read(&changes, $0) }
    #expect(received == [true, true, false])
  }

  @Test(arguments: [200, 0xFFFF, 3, 0] as [UInt16])
  func attributeOfAnImpossibleLengthEndsTheMessage(length: UInt16) {
    var changes = NetworkChanges()
    // Both addresses are read as one without bytes, because their only difference is in the damaged attribute.
    let received = [address(1, attributeLength: length), address(2, attributeLength: length)].map {
      read(&changes, $0)
    }
    #expect(received == [true, false])
  }

  @Test func loopbackIsNotANetwork() {
    var changes = NetworkChanges()
    let isNetwork = read(&changes, link(1, flags: connected | 0x8))
    #expect(!isNetwork)
  }

  @Test func severalMessagesAreReadFromOneBuffer() {
    var changes = NetworkChanges()
    let isNetwork = read(&changes, message(3, [1]) + link(2, flags: unplugged) + address(scope: 0))
    #expect(isNetwork)
  }

  @Test(
    arguments: [
      [], [1], [UInt8](repeating: 0, count: 16), [UInt8](repeating: 255, count: 40), [16, 0, 0, 0, 20, 0],
      [20, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 24, 0, 0],
    ] as [[UInt8]])
  func malformedBytesReportNoNetwork(bytes: [UInt8]) {
    var changes = NetworkChanges()
    let isNetwork = read(&changes, bytes)
    #expect(!isNetwork)
  }

  @Test(.timeLimit(.minutes(1))) func monitorCallsUntilItIsReleased() async throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
    defer { close(pair[1]) }
    let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
    var monitor = NetworkMonitor(socket: pair[0]) { continuation.yield() }
    var iterator = calls.makeAsyncIterator()
    for last in 0..<3 {
      let bytes = address(UInt8(last))
      #expect(send(pair[1], bytes, bytes.count, 0) == bytes.count)
      await iterator.next()
    }
    #expect(monitor != nil)
    monitor = nil
    // The released monitor has closed its socket.
    var end = pollfd(fd: pair[1], events: 0, revents: 0)
    while end.revents & Int16(POLLHUP) == 0 {
      poll(&end, 1, 1000)
      try Task.checkCancellation()
    }
  }

  @Test func networkMonitorCanBeCreated() {
    #expect(NetworkMonitor(onReturn: {}) != nil)
  }
}
