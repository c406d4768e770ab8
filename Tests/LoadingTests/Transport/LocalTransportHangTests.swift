import FoundationEssentials
import Glibc
import Testing
import VitrineConcurrency
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Reads of files on disks that hang.
@Suite(.timeLimit(.minutes(5))) struct LocalTransportHangTests {
  private let files: LocalFiles

  init() throws { files = try LocalFiles() }

  /// Returns a transport whose reads of files named "hangs" block.
  private func hanging(_ gate: Gate, _ clock: ManualLoadingClock) -> LocalTransport {
    LocalTransport(clock: clock) { file, buffer in
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")
      if path?.contains("hangs") == true { gate.pass() }
      return Glibc.read(file, buffer.baseAddress, buffer.count)
    }
  }

  /// Reads the file until a read succeeds, because a blocked thread becomes free shortly after its gate is open.
  private func body(of url: URL, _ transport: LocalTransport) async throws -> [UInt8] {
    var limit = WaitLimit()
    while true {
      let outcome = try await transport.outcome(of: url)
      if outcome.error == nil { return outcome.body }
      try await limit.pause()
    }
  }

  @Test func hangingFileTimesOutAndLaterFilesAreRead() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let (hangs, reads) = (try files.write([1], to: "hangs"), try files.write([2], to: "reads"))
    let embedded = try #require(URL(string: "data:,3"))
    async let blocked = transport.outcome(of: hangs)
    await gate.waitUntilHeld(1)
    async let next = transport.outcome(of: reads)
    async let data = transport.outcome(of: embedded)

    clock.advance(by: TransportRequest.Timeouts().stall)

    #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
    #expect(try await next.body == [2])
    #expect(try await data.body == [UInt8(ascii: "3")])
    // The read returns, and its result is dropped.
    gate.open()
    #expect(try await body(of: hangs, transport) == [1])
  }

  @Test func hangingFileTimesOutAfterAFileWithALongerLimit() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let (hangs, reads) = (try files.write([1], to: "hangs"), try files.write([2], to: "reads"))
    #expect(try await transport.outcome(of: reads, timeouts: .init(stall: 1000)).body == [2])
    async let blocked = transport.outcome(of: hangs)
    await gate.waitUntilHeld(1)

    clock.advance(by: TransportRequest.Timeouts().stall)
    gate.open()

    #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
  }

  @Test func dataURLIsNotDelayedByHangingFiles() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let embedded = try #require(URL(string: "data:,3"))
    for count in 1...LocalLane.maximumBlockedThreads {
      let hangs = try files.write([1], to: "hangs\(count)")
      async let blocked = transport.outcome(of: hangs)
      await gate.waitUntilHeld(count)

      #expect(try await transport.outcome(of: embedded).body == [UInt8(ascii: "3")])

      clock.advance(by: TransportRequest.Timeouts().stall)
      #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
    }
    #expect(try await transport.outcome(of: embedded).body == [UInt8(ascii: "3")])
    gate.open()
  }

  @Test func hangingFileBlocksOneThreadHoweverOftenItIsRequested() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let (hangs, reads) = (try files.write([1], to: "hangs"), try files.write([2], to: "reads"))
    async let blocked = transport.outcome(of: hangs)
    await gate.waitUntilHeld(1)
    async let second = transport.outcome(of: hangs)
    clock.advance(by: TransportRequest.Timeouts().stall)
    #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
    #expect(try await second.error == .timedOut(.stall(seconds: 15)))

    for _ in 0..<10 {
      #expect(try await transport.outcome(of: hangs).error == .timedOut(.stall(seconds: 15)))
    }
    #expect(try await transport.outcome(of: reads).body == [2])

    gate.open()
    #expect(try await body(of: hangs, transport) == [1])
  }

  @Test func readsFailAtOnceWhileTheMaximumNumberOfReadsHangs() async throws {
    let (gate, clock) = (Gate(), ManualLoadingClock())
    let transport = hanging(gate, clock)
    let reads = try files.write([2], to: "reads")
    for count in 1...LocalLane.maximumBlockedThreads {
      let hangs = try files.write([1], to: "hangs\(count)")
      async let blocked = transport.outcome(of: hangs)
      await gate.waitUntilHeld(count)
      clock.advance(by: TransportRequest.Timeouts().stall)
      #expect(try await blocked.error == .timedOut(.stall(seconds: 15)))
    }
    #expect(try await transport.outcome(of: reads).error == .timedOut(.stall(seconds: 15)))
    gate.open()
    #expect(try await body(of: reads, transport) == [2])
  }

  @Test func dataURLLoadsWhileFilesHang() async throws {
    let gate = Gate()
    let transport = hanging(gate, ManualLoadingClock())
    let downloader = ImageDownloader(transports: [transport], decoder: FakeDecoder())
    let tasks = try (1...3).map { downloader.load(ImageRequest(url: try files.write([1], to: "hangs\($0)"))) }
    await gate.waitUntilHeld(1)

    let data = try await downloader.image(for: "data:,4 5 0 0 0 255")

    #expect(data.image.pixelWidth == 4)
    gate.open()
    for task in tasks { task.cancel() }
  }
}
