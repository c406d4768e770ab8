import FoundationEssentials
import Testing
import VitrineCurlTransport
import VitrineLoading
import VitrineTesting

/// Downloads that are interrupted halfway and resumed from a real server.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
struct ResumeTests {
  private func downloader(_ server: TLSServer) -> ImageDownloader {
    var settings = CurlTransport.Configuration()
    settings.trust.certificateAuthorities = server.certificate
    var configuration = ImageDownloader.Configuration()
    configuration.retries = RetryPolicy(limit: 8, delay: 0.2)
    return ImageDownloader(
      configuration: configuration, transports: [CurlTransport(configuration: settings)],
      decoder: FakeDecoder(), cache: nil)
  }

  private func load(_ server: TLSServer, with downloader: ImageDownloader) throws -> ImageTask {
    var request = try ImageRequest("\(server.url)/large")
    request.keepsData = true
    return downloader.load(request)
  }

  /// Returns when enough bytes have arrived to resume the download; the whole body takes about 15 s.
  private func waitForTheFirstHalf(_ events: AsyncStream<ImageTask.Event>) async {
    for await case .progress(let progress) in events where progress.received > 20_000 { return }
  }

  private func expectTheRest(_ task: ImageTask, _ downloader: ImageDownloader) async throws {
    let response = try await task.response
    #expect(response.data == TLSServer.largeBody)
    #expect(response.http?.status == 200)
    #expect(response.http?.expectedLength == 60_000)
    #expect(downloader.statistics.resumed == 1)
    #expect((response.metrics?.bytesReceived ?? 0) < 60_000)
    await downloader.shutDown()
  }

  @Test(arguments: [true, false])
  func pausedDownloadResumesWithTheRemainingBytes(speaksHTTP2: Bool) async throws {
    let server = try TLSServer(speaksHTTP2: speaksHTTP2)
    let downloader = downloader(server)
    let task = try load(server, with: downloader)
    await waitForTheFirstHalf(task.events)
    task.pause()
    #expect(downloader.activeDownloadCount == 0)
    task.resume()
    try await expectTheRest(task, downloader)
  }

  @Test func interruptedDownloadResumesWhenItsServerReturns() async throws {
    let server = try TLSServer()
    let downloader = downloader(server)
    let task = try load(server, with: downloader)
    let events = task.events
    await waitForTheFirstHalf(task.events)
    server.stop()
    for await case .willRetry in events { break }
    try server.start()
    try await expectTheRest(task, downloader)
    #expect(downloader.statistics.retries >= 1)
  }
}
