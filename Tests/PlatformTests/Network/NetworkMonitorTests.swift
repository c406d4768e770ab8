import Glibc
import Synchronization
import Testing
import VitrineTesting

@testable import VitrinePlatform

/// Changes of the network on a fake machine.
@Suite(.timeLimit(.minutes(5))) struct NetworkMonitorTests {
  /// A machine whose addresses and messages come from the test.
  private final class Machine: Sendable {
    private struct State {
      var addresses: Set<InterfaceAddress> = []
      /// For each time that the addresses were read, true if the monitor then reported a network.
      var reports: [Bool] = []
    }

    private let state = Mutex(State())
    private let kernel: Int32
    let socket: Int32

    init() throws {
      var pair: [Int32] = [0, 0]
      try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
      (kernel, socket) = (pair[0], pair[1])
    }

    deinit { close(kernel) }

    var reports: [Bool] { state.withLock { $0.reports } }

    func monitor(delay: Int32 = 0) -> NetworkMonitor? {
      NetworkMonitor(
        socket: socket, delay: delay,
        addresses: {
          self.state.withLock { state in
            state.reports.append(false)
            return state.addresses
          }
        },
        onReturn: { self.state.withLock { $0.reports[$0.reports.count - 1] = true } })
    }

    /// Sets the addresses without a message.
    func set(_ addresses: String...) {
      let addresses = addresses.map { text in
        let words = text.split(separator: " ").map(String.init)
        return InterfaceAddress(interface: words[0], address: words[1])
      }
      state.withLock { $0.addresses = Set(addresses) }
    }

    func send(messages: Int = 1) {
      let message = [UInt8](repeating: 7, count: 100)
      for _ in 0..<messages { #expect(Glibc.send(kernel, message, message.count, 0) == message.count) }
    }

    /// Sends a message and waits until the monitor has read the addresses.
    func change() async throws {
      let reads = reports.count
      send()
      try await until { reports.count > reads }
    }

    /// Returns when the monitor has closed its socket.
    func waitUntilClosed() throws {
      var end = pollfd(fd: kernel, events: 0, revents: 0)
      try blockUntil {
        poll(&end, 1, 100)
        return end.revents & Int16(POLLHUP) != 0
      }
    }
  }

  private let machine: Machine

  init() throws { machine = try Machine() }

  @Test func newAddressIsANetwork() async throws {
    machine.set("eth0 192.0.2.1")
    let monitor = machine.monitor()

    machine.set("eth0 192.0.2.1", "wlan0 192.0.2.9")
    try await machine.change()

    try await until { machine.reports == [false, true] }
    withExtendedLifetime(monitor) {}
  }

  @Test func addressThatReturnsIsANetwork() async throws {
    machine.set("eth0 192.0.2.1")
    let monitor = machine.monitor()

    machine.set()
    try await machine.change()
    machine.set("eth0 192.0.2.1")
    try await machine.change()

    try await until { machine.reports == [false, false, true] }
    withExtendedLifetime(monitor) {}
  }

  @Test func sameAddressOnAnotherInterfaceIsANetwork() async throws {
    machine.set("eth0 192.0.2.1")
    let monitor = machine.monitor()

    machine.set("wlan0 192.0.2.1")
    try await machine.change()

    try await until { machine.reports == [false, true] }
    withExtendedLifetime(monitor) {}
  }

  /// A router renews the lifetime of an address again and again, and a radio link reports its scans.
  @Test func messagesWithoutANewAddressAreNotANetwork() async throws {
    machine.set("eth0 192.0.2.1", "eth0 2001:db8::1")
    let monitor = machine.monitor()

    for _ in 0..<3 { try await machine.change() }
    machine.set("eth0 192.0.2.1")
    try await machine.change()
    machine.set("eth0 192.0.2.2")
    try await machine.change()

    try await until { machine.reports == [false, false, false, false, false, true] }
    withExtendedLifetime(monitor) {}
  }

  @Test func messagesThatArriveTogetherAreHandledOnce() async throws {
    machine.send(messages: 5)
    let monitor = machine.monitor()
    try await until { machine.reports.count == 2 }

    machine.set("eth0 192.0.2.1")
    try await machine.change()

    try await until { machine.reports == [false, false, true] }
    withExtendedLifetime(monitor) {}
  }

  @Test func releasedMonitorClosesItsSocket() async throws {
    var monitor = machine.monitor()
    try await machine.change()

    #expect(monitor != nil)
    monitor = nil

    try machine.waitUntilClosed()
  }

  @Test func monitorReleasedDuringTheDelayReportsNothing() throws {
    var monitor = machine.monitor(delay: 60_000)
    machine.set("eth0 192.0.2.1")
    machine.send()

    #expect(monitor != nil)
    monitor = nil

    try machine.waitUntilClosed()
    #expect(machine.reports == [false])
  }

  @Test func networkMonitorCanBeCreated() {
    #expect(NetworkMonitor(onReturn: {}) != nil)
  }

  @Test func loopbackIsNotListed() {
    let addresses = InterfaceAddress.connected.map(\.address)

    #expect(!addresses.contains("127.0.0.1"))
    #expect(!addresses.contains("::1"))
  }

  @Test func addressesOfThisMachineAreNumbers() {
    for address in InterfaceAddress.connected {
      #expect(!address.interface.isEmpty)
      #expect(address.address.contains { $0 == "." || $0 == ":" })
    }
  }
}
