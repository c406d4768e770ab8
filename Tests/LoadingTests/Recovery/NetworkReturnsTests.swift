import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Networks that are reported as returned several times a second.
@Suite(.timeLimit(.minutes(5))) struct NetworkReturnsTests {
  private let second: Int64 = 1_000_000_000

  @Test func returnsWithinTwoSecondsCauseOneAction() {
    var returns = NetworkReturns()

    #expect(returns.reported(at: 0) == .act)
    #expect(returns.reported(at: 1) == .wait(until: 2 * second))
    #expect(returns.reported(at: second) == .join)
    #expect(returns.woken(at: 2 * second) == true)
    #expect(returns.woken(at: 2 * second) == false)
    #expect(returns.reported(at: 3 * second) == .wait(until: 4 * second), "counted from the last action")
  }

  @Test func returnBeforeALateWakeUpCausesOneAction() {
    var returns = NetworkReturns()
    _ = returns.reported(at: 0)
    _ = returns.reported(at: 1)

    #expect(returns.reported(at: 5 * second) == .act)
    #expect(returns.woken(at: 5 * second) == false)
    #expect(returns.reported(at: 8 * second) == .act)
  }

  @Test func lastReturnOfTheNetworkIsNotLost() async throws {
    let clock = ManualLoadingClock()
    var configuration = ImageDownloader.Configuration()
    configuration.environment.clock = clock
    let transport = FakeTransport()
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder())
    downloader.networkReturned()
    let task = downloader.load(try ImageRequest("http://a.test/1"))
    try await transport.waitUntilStarted(1)
    transport.transfers[0].respond(status: 503, headers: ["Retry-After": "30"])
    transport.transfers[0].fail(.status(503))
    try await until { downloader.statistics.retries == 1 }

    for _ in 0..<100 { downloader.networkReturned() }
    clock.advance(by: 1.9)
    #expect(transport.transfers.count == 1)
    clock.advance(by: 0.1)
    try await transport.waitUntilStarted(2)
    task.cancel()
  }

  @Test func numberOfHostPausesIsBounded() {
    var pauses = HostPauses()
    func host(_ number: Int) -> DownloadQueue.Lane { .host(scheme: "http", name: "\(number)", port: nil) }
    for number in 0..<1000 { pauses.set(host(number), until: second + Int64(number), at: 0) }

    #expect((0..<1000).count { pauses.end(of: host($0)) > .min } == HostPauses.limit)
    #expect(pauses.end(of: host(999)) > .min)
    pauses.removeAll()
    #expect(pauses.isEmpty)
  }
}
