import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineLoading
import VitrineTesting

@testable import VitrinePlatform

/// Memory pressure, from the kernel's files to the caches.
@Suite(.timeLimit(.minutes(5))) struct MemoryPressureMonitorTests {
  private final class Clock: Sendable {
    private let time = Atomic<Int64>(0)
    var now: Int64 { time.load(ordering: .relaxed) }
    func set(_ seconds: Double) { time.store(Int64(seconds * 1e9), ordering: .relaxed) }
  }

  /// Records the pressures that it receives.
  private final class Listener: MemoryHolder {
    private let received = Mutex<[MemoryPressure]>([])
    let gate = Gate(isOpen: true)
    var pressures: [MemoryPressure] { received.withLock { $0 } }
    func count(against ledger: MemoryLedger) { ledger.register(self, as: .cache) }
    func release(bytes: Int) {}
    func handlePressure(_ pressure: MemoryPressure) {
      received.withLock { $0.append(pressure) }
      gate.pass()
    }
  }

  private let machine: MachineFolder
  private let clock = Clock()
  private let ledger = MemoryLedger()

  init() throws { machine = try MachineFolder() }

  private func watch() {
    let clock = clock
    MemoryPressureMonitor.watch(ledger, root: machine.root) { clock.now }
  }

  private func image() -> Image { Image(Bitmap(width: 10, height: 10, color: .black)) }

  @Test("AF-F11 memory pressure reaches the cache: a warning purges it, critical pressure empties it")
  func pressurePurgesOrEmptiesTheCache() throws {
    let cache = MemoryImageCache(capacity: 4000, preferredUsageAfterPurge: 1000)
    cache.count(against: ledger)
    for name in ["a", "b", "c", "d", "e"] {
      cache.insert(image(), for: try ImageRequest("http://a.test/\(name)"), additionalIdentifier: nil)
    }
    try machine.writeGroup(current: "100", max: "1000")
    watch()
    ledger.checkPressure()
    #expect(cache.usage == 2000)

    try machine.writeGroup(current: "900", max: "1000")
    clock.set(1)
    ledger.checkPressure()
    #expect(cache.usage == 800)
    try machine.writeGroup(current: "990", max: "1000")
    clock.set(2)
    ledger.checkPressure()

    #expect(cache.usage == 0)
  }

  @Test func kernelFilesAreReadAtMostOncePerSecond() throws {
    let listener = Listener()
    listener.count(against: ledger)
    try machine.writeGroup(current: "100", max: "1000")
    watch()
    ledger.checkPressure()
    try machine.writeGroup(current: "1000", max: "1000")

    clock.set(0.999)
    ledger.checkPressure()
    #expect(listener.pressures.isEmpty)
    clock.set(1)
    ledger.checkPressure()
    #expect(listener.pressures == [.critical])
  }

  @Test func clockSetBackDoesNotStopTheMonitor() throws {
    let listener = Listener()
    listener.count(against: ledger)
    try machine.writeGroup(current: "100", max: "1000")
    clock.set(1000)
    watch()
    ledger.checkPressure()
    try machine.writeGroup(current: "1000", max: "1000")
    clock.set(1)
    ledger.checkPressure()

    #expect(listener.pressures == [.critical])
  }

  @Test func machineWithoutKernelFilesReportsNoPressure() {
    let listener = Listener()
    listener.count(against: ledger)
    watch()
    watch()
    for second in 0..<5 {
      clock.set(Double(second))
      ledger.checkPressure()
    }

    #expect(listener.pressures.isEmpty)
  }

  @Test func kernelTriggerReportsPressure() async throws {
    // To `poll`, urgent data on a connection looks like a trigger of the kernel.
    let (here, there) = try connection()
    let listener = Listener()
    listener.gate.close()
    listener.count(against: ledger)
    let monitor = MemoryPressureMonitor(
      ledger, KernelFiles(root: machine.root), { 0 }, trigger: here)
    send(there, "!", 1, Int32(MSG_OOB))

    await listener.gate.waitUntilHeld(1)

    #expect(listener.pressures == [.warning])
    // Consumes the urgent byte, so that the next `poll` blocks.
    var byte: UInt8 = 0
    recv(here, &byte, 1, Int32(MSG_OOB))
    listener.gate.open()
    close(there)
    withExtendedLifetime(monitor) {}
  }

  @Test func monitorDoesNotRetainItsLedger() throws {
    weak var weakLedger: MemoryLedger?
    do {
      let ledger = MemoryLedger()
      weakLedger = ledger
      MemoryPressureMonitor.watch(ledger)
      ledger.checkPressure()
    }
    #expect(weakLedger == nil)
  }

  /// The two ends of a TCP connection.
  private func connection() throws -> (Int32, Int32) {
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listening) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let isConnected = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listening, $0, length) == 0 && listen(listening, 1) == 0
          && getsockname(listening, $0, &length) == 0 && connect(far, $0, length) == 0
      }
    }
    try #require(isConnected)
    return (accept(listening, nil, nil), far)
  }
}
