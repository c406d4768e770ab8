import Testing
import VitrineGraphics
import VitrineTesting

@testable import VitrineLoading

/// Requests whose bytes are not decoded.
@Suite(.timeLimit(.minutes(5)))
struct DataOnlyTests {
  private let transport = FakeTransport()
  private let disk = MemoryDataCache()
  private let decoder = FakeDecoder()
  private let cache = MemoryImageCache()
  private let downloader: ImageDownloader
  private let text = Array("a.jpg\nb.jpg\n".utf8)

  init() {
    var configuration = ImageDownloader.Configuration()
    configuration.retries = .none
    // A clock that stands still: no lookup is late.
    configuration.environment.clock = ManualLoadingClock()
    downloader = ImageDownloader(
      configuration: configuration, transports: [transport], decoder: decoder, cache: cache, dataCache: disk)
  }

  private func request(_ url: String = "http://a.test/list.txt") throws -> ImageRequest {
    var request = try ImageRequest(url)
    request.decodes = false
    return request
  }

  @Test func rawBytesAreDeliveredAndStoredOnlyOnDisk() async throws {
    transport.respondToAll { [text] in $0.respond(with: text) }

    let response = try await downloader.image(for: try request())

    #expect(response.data == text)
    #expect(await response.isStored())
    #expect(cache.usage == 0)
    #expect(downloader.cachedImage(for: try request()) == nil)
    let again = try await downloader.image(for: try request())
    #expect(again.data == text)
  }

  @Test func staleBytesAreDeliveredWhileTheServerIsDown() async throws {
    transport.respondToAll { [text] in $0.respond(with: text) }
    #expect(try await downloader.image(for: try request()).isStored())
    transport.respondToAll { $0.fail(.transport(.cannotConnect, message: "refused")) }
    var again = try request()
    again.cachePolicy = .refresh

    let response = try await downloader.image(for: again)

    #expect(response.data == text)
    guard case .stale = response.freshness else {
      Issue.record("\(response.freshness)")
      return
    }
  }

  private struct Refusal: Error, CustomStringConvertible { let description = "no list" }

  /// Returns a request that accepts only texts that begin with "a".
  private func validated(_ url: String = "http://a.test/list.txt") throws -> ImageRequest {
    var request = try request(url)
    request.validator = DataValidator("list") { if $0.first != UInt8(ascii: "a") { throw Refusal() } }
    request.cachePolicy = .refresh
    return request
  }

  @Test func bytesThatFailValidationAreNotStored() async throws {
    transport.respondToAll { $0.respond(with: Array("<html>".utf8)) }

    await #expect(throws: ImageError.invalidData("no list")) { try await downloader.image(for: validated()) }

    downloader.finishWriting(within: 60)
    #expect(disk.storeCount == 0)
  }

  @Test func bytesThatFailValidationDoNotReplaceStoredBytes() async throws {
    transport.respondToAll { [text] in $0.respond(with: text) }
    #expect(try await downloader.image(for: try validated()).isStored())
    transport.respondToAll { $0.respond(with: Array("<html>".utf8)) }

    let response = try await downloader.image(for: try validated())

    #expect(response.data == text)
    guard case .stale(_, .invalidData("no list")) = response.freshness else {
      Issue.record("\(response.freshness)")
      return
    }
    downloader.finishWriting(within: 60)
    #expect(disk.storeCount == 1)
  }

  @Test func oneTransferServesBothTheBytesAndTheImage() async throws {
    let body = FakeDecoder.encodedImage(width: 8, height: 4)
    let bytes = downloader.load(try request("http://a.test/1"))
    let image = downloader.load(try ImageRequest("http://a.test/1"))
    try await transport.waitUntilStarted(1)
    transport.transfers[0].respond(with: body)

    #expect(try await bytes.response.data == body)
    #expect(try await image.response.image.pixelWidth == 8)
    #expect(try await image.response.data == nil)
    #expect(transport.transfers.count == 1)
  }

  @Test func dataOnlyRequestIgnoresTransformsAndPreviews() throws {
    var request = try request()
    request.transforms = [.circle()]
    request.progressive = .scans

    #expect(request.transforms.isEmpty)
    #expect(request.progressive == .none)
    #expect(request != (try ImageRequest("http://a.test/list.txt")))
  }
}
