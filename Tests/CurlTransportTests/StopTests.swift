import FoundationEssentials
import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineLoading

@testable import VitrineCurlTransport

@Suite("A stopped transport leaves no transfers and no receivers behind", .timeLimit(.minutes(5)))
struct StopTests {
  @Test func allReceiversAreNotifiedWhenStopReturns() async throws {
    let server = try ScriptedServer { _ in [.hold] }
    defer { server.stop() }
    let transport = CurlTransport()
    let recorders = (0..<10).map { _ in Recorder() }
    for recorder in recorders { try transport.start(server.url, receiver: recorder) }

    transport.stop()

    #expect(recorders.map { $0.calls.error } == Array(repeating: .cancelled, count: 10))
  }

  @Test func stopDoesNothingOnAStoppedOrUnusedTransport() async throws {
    let transport = CurlTransport()

    transport.stop()
    transport.stop()

    #expect(try await transport.get("file:///").error == .unsupportedScheme("file"))
  }

  @Test("AF-S10 a start after a stop opens a new connection")
  func startAfterStopOpensANewConnection() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport()

    _ = try await transport.get(server.url)
    transport.stop()
    let calls = try await transport.get(server.url)

    #expect(calls.text == "hello")
    #expect(server.connectionCount == 2)
  }

  @Test func releasedTransportCancelsItsTransfers() async throws {
    let server = try ScriptedServer { _ in [.hold] }
    defer { server.stop() }
    let recorder = Recorder()
    var transport: CurlTransport? = CurlTransport()
    weak var released: CurlTransport?
    released = transport

    let transfer = try transport?.start(server.url, receiver: recorder)
    transport = nil

    #expect(await recorder.end().error == .cancelled)
    #expect(released == nil)
    transfer?.cancel()
  }

  @Test func exitWaitsForTheThreadsOfReleasedAndStoppedTransports() async throws {
    let server = try ScriptedServer { _ in [.hold] }
    defer { server.stop() }
    let ending = EndingThreads()
    var transports = (0..<8).map { _ in
      CurlTransport(configuration: .init(), ending: ending, optionFilter: nil)
    }
    let running = CurlTransport(configuration: .init(), ending: ending, optionFilter: nil)
    for transport in transports + [running] { try transport.start(server.url, receiver: Recorder()) }

    transports[0].stop()
    transports = []

    // The running transport is not waited for.
    #expect(ending.joinAll(within: 60_000_000_000))
    #expect(ending.count == 0)
    running.stop()
  }

  @Test func receiverMayStopTheTransport() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport()
    let other = Recorder()
    let recorder = Recorder(onResponse: { _ in transport.stop() })

    try transport.start(server.url, receiver: recorder)
    await recorder.end()
    try transport.start(server.url, receiver: other)

    #expect(await other.end().text == "hello")
  }

  @Test func receiverIsReleasedAfterItsTransferEnds() async throws {
    let server = try ScriptedServer { _ in [.response("hello")] }
    defer { server.stop() }
    let transport = CurlTransport()
    var recorder: Recorder? = Recorder()
    weak var released: Recorder?
    released = recorder

    let transfer = try transport.start(server.url, receiver: #require(recorder))
    await recorder?.end()
    recorder = nil
    transport.stop()

    #expect(released == nil)
    transfer.cancel()
  }
}
