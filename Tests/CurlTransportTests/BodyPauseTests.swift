import FoundationEssentials
import Glibc
import Synchronization
import Testing
import VitrineConcurrency
import VitrineCurlTransport
import VitrineGalleryServer
import VitrineGraphics
import VitrineLoading
import VitrineTesting

/// Back-pressure: transfers pause while their receivers accept no more bytes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BodyPauseTests {
  /// A receiver that records a transfer and accepts a number of bytes, which the test can raise.
  private final class LimitedReceiver: TransportReceiver {
    private struct State {
      var allowedBytes: Int
      var received = 0
      var resume: (@Sendable () -> Void)?
    }

    let recorder = Recorder()
    private let state: Mutex<State>

    init(allowedBytes: Int) { state = Mutex(State(allowedBytes: allowedBytes)) }

    var isPaused: Bool { state.withLock { $0.resume != nil } }

    func raiseLimit(to allowedBytes: Int) {
      let resume = state.withLock { state in
        state.allowedBytes = allowedBytes
        return state.resume.take()
      }
      resume?()
    }

    func transportMayReceive(_ count: Int, resume: @escaping @Sendable () -> Void) -> Bool {
      state.withLock { state in
        if state.received + count <= state.allowedBytes { return true }
        state.resume = resume
        return false
      }
    }

    func transportDidReceive(_ response: TransportResponse) { recorder.transportDidReceive(response) }
    func transportDidReceive(_ bytes: UnsafeRawBufferPointer) {
      state.withLock { $0.received += bytes.count }
      recorder.transportDidReceive(bytes)
    }
    func transportWillFail(_ metrics: TransportMetrics) { recorder.transportWillFail(metrics) }
    func transportDidFinish(_ result: Result<TransportMetrics, ImageError>) {
      recorder.transportDidFinish(result)
    }

    func waitUntilPaused() async throws { try await until { isPaused } }
  }

  private let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  private func server() throws -> GalleryServer {
    let server = try GalleryServer()
    server.add(Resource(body: body, contentType: "image/png"), at: "/one.png")
    return server
  }

  private func request(
    _ url: String, bodyLimit: Int = 64 << 20, timeouts: TransportRequest.Timeouts = .init()
  ) throws -> TransportRequest {
    TransportRequest(url: try #require(URL(string: url)), bodyLimit: bodyLimit, timeouts: timeouts)
  }

  @Test(arguments: ["", "?chunked=1", "?length=none"])
  func pausedBodyArrivesCompletelyAfterItResumes(query: String) async throws {
    let server = try server()
    let transport = CurlTransport()
    let receiver = LimitedReceiver(allowedBytes: 0)
    _ = transport.start(try request(server.baseURL + "/one.png" + query), receiver: receiver)

    for allowedBytes in [0, 50_000, 50_001, 200_000] {
      try await receiver.waitUntilPaused()
      // Another transfer continues in the meantime.
      #expect(try await transport.get(server.baseURL + "/one.png").body == body)
      #expect(receiver.recorder.calls.body.count <= allowedBytes)
      receiver.raiseLimit(to: allowedBytes)
    }
    try await receiver.waitUntilPaused()
    receiver.raiseLimit(to: .max)

    let calls = await receiver.recorder.end()
    #expect(calls.error == nil && !calls.isDisorderly)
    #expect(calls.body == body)
  }

  @Test func pausedTransferDoesNotTimeOut() async throws {
    let server = try server()
    let transport = CurlTransport()
    let receiver = LimitedReceiver(allowedBytes: 50_000)
    _ = transport.start(
      try request(server.baseURL + "/one.png", timeouts: .init(connect: 5, stall: 0.3, total: 0.6)),
      receiver: receiver)
    try await receiver.waitUntilPaused()

    // This transfer ends by its own timeout, which is longer than that of the paused transfer.
    let other = try await transport.get(
      server.baseURL + "/one.png?stall=10", timeouts: .init(connect: 5, stall: 5, total: 1))
    #expect(other.error == .timedOut(.total(seconds: 1)))
    #expect(receiver.isPaused)
    receiver.raiseLimit(to: .max)

    let calls = await receiver.recorder.end()
    #expect(calls.error == nil)
    #expect(calls.body == body)
  }

  @Test func cancelEndsAPausedTransfer() async throws {
    let server = try server()
    let transport = CurlTransport()
    let receiver = LimitedReceiver(allowedBytes: 50_000)
    let transfer = transport.start(try request(server.baseURL + "/one.png?endless=1"), receiver: receiver)
    try await receiver.waitUntilPaused()

    transfer.cancel()

    #expect(await receiver.recorder.end().error == .cancelled)
    receiver.raiseLimit(to: .max)
    #expect(try await transport.get(server.baseURL + "/one.png").body == body)
  }

  @Test func bodyLimitAppliesAfterAPause() async throws {
    let server = try server()
    let transport = CurlTransport()
    let receiver = LimitedReceiver(allowedBytes: 50_000)
    _ = transport.start(
      try request(server.baseURL + "/one.png?endless=1", bodyLimit: 100_000), receiver: receiver)
    try await receiver.waitUntilPaused()

    receiver.raiseLimit(to: .max)

    #expect(await receiver.recorder.end().error == .tooLarge(.body(bytes: 100_000)))
  }

  @Test func endlessBodiesStayWithinTheMemoryBudget() async throws {
    let server = try server()
    let ledger = MemoryLedger(budget: 8 << 20)
    var configuration = ImageDownloader.Configuration()
    configuration.memory.ledger = ledger
    configuration.responses.bodyLimit = 3 << 20
    configuration.queue.maximumActiveDownloadsPerHost = 6
    configuration.retries = .none
    let downloader = ImageDownloader(
      configuration: configuration, transports: [CurlTransport()], decoder: FakeDecoder())
    let tasks = try (0..<6).map {
      downloader.load(try ImageRequest("\(server.baseURL)/one.png?endless=1&number=\($0)"))
    }

    for task in tasks {
      await #expect(throws: ImageError.tooLarge(.body(bytes: 3 << 20))) { try await task.response }
    }

    #expect(ledger.peak > 4 << 20, "more than one body arrived at a time")
    #expect(ledger.peak <= 8 << 20)
    #expect(ledger.usage.total == 0)
    await downloader.shutDown()
  }

  // MARK: HTTP/2

  @Test(.enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
  func pausedHTTP2BodyIsRequestedAgainWhenItResumes() async throws {
    let server = try TLSServer()
    defer { server.stop() }
    var settings = CurlTransport.Configuration()
    settings.trust.certificateAuthorities = server.certificate
    let transport = CurlTransport(configuration: settings)
    let receiver = LimitedReceiver(allowedBytes: 4)
    _ = transport.start(try request(server.url + "/"), receiver: receiver)
    try await receiver.waitUntilPaused()
    #expect(receiver.recorder.calls.responses.isEmpty, "the head is delayed too")

    // This request uses the same connection.
    #expect(try await transport.get(server.url + "/").text == "hello")
    receiver.raiseLimit(to: 5)
    let calls = await receiver.recorder.end()

    #expect(calls.text == "hello" && !calls.isDisorderly)
    #expect(calls.metrics?.httpVersion == "2")
    #expect(calls.metrics?.requests == 2)
  }

  @Test(.enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
  func http2BodyOfUnknownLengthIsContinuedWhenItResumes() async throws {
    let server = try TLSServer()
    defer { server.stop() }
    var settings = CurlTransport.Configuration()
    settings.trust.certificateAuthorities = server.certificate
    let transport = CurlTransport(configuration: settings)
    let receiver = LimitedReceiver(allowedBytes: 256 << 10)
    _ = transport.start(try request(server.url + "/unstated"), receiver: receiver)
    try await receiver.waitUntilPaused()
    #expect((1...256 << 10).contains(receiver.recorder.calls.body.count))

    receiver.raiseLimit(to: .max)
    let calls = await receiver.recorder.end()

    #expect(calls.error == nil && !calls.isDisorderly)
    #expect(calls.responses.count == 1 && calls.responses.first?.expectedLength == nil)
    #expect(calls.text == TLSServer.longBody)
    #expect(calls.metrics?.httpVersion == "2")
    #expect(calls.metrics?.requests == 2)
  }

  @Test(.enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
  func http2BodiesOfUnknownLengthReserveWhatArrives() async throws {
    let server = try TLSServer()
    defer { server.stop() }
    var settings = CurlTransport.Configuration()
    settings.trust.certificateAuthorities = server.certificate
    let ledger = MemoryLedger(budget: 48 << 20)
    var configuration = ImageDownloader.Configuration()
    configuration.memory.ledger = ledger
    configuration.retries = .none
    let downloader = ImageDownloader(
      configuration: configuration, transports: [CurlTransport(configuration: settings)],
      decoder: FakeDecoder())
    let tasks = try (0..<3).map { number in
      var request = try ImageRequest("\(server.url)/unstated?\(number)")
      request.decodes = false
      return downloader.load(request)
    }

    for task in tasks {
      #expect(try await task.response.data?.count == TLSServer.longBody.utf8.count)
    }

    #expect(ledger.peak < 12 << 20, "not the 32 MiB that a server may send ahead")
    await downloader.shutDown()
  }

  @Test(.enabled(if: TLSServer.isAvailable, "needs nginx and openssl"))
  func http2WindowIsReservedBeforeAStreamBegins() async throws {
    let server = try TLSServer()
    defer { server.stop() }
    var settings = CurlTransport.Configuration()
    settings.trust.certificateAuthorities = server.certificate
    let transport = CurlTransport(configuration: settings)
    // 64 MiB of the 256 MiB may be received, including 32 MiB that the server sends ahead.
    let ledger = MemoryLedger(budget: 48 << 20)
    var configuration = ImageDownloader.Configuration()
    configuration.memory.ledger = ledger
    configuration.responses.bodyLimit = 300 << 20
    configuration.retries = .none
    let downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: FakeDecoder())
    let tasks = try (0..<3).map { downloader.load(try ImageRequest("\(server.url)/zeros?\($0)")) }

    try await until { tasks.contains { $0.progress.received >= 8 << 20 } }

    #expect(tasks.filter { $0.progress.received > 0 }.count == 1, "no other stream has begun")
    downloader.cancelAll()
    await downloader.drain()
    #expect(ledger.usage.bodies <= configuration.memory.resumableBytesLimit)
    await downloader.shutDown()
  }
}
