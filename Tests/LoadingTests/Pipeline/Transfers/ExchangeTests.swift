import FoundationEssentials
import Testing
import VitrineTesting

@testable import VitrineLoading

/// The request of an attempt.
struct ExchangeTests {
  private let head = TransportResponse(
    url: url(), status: 200, headers: ["ETag": "\"a\""], expectedLength: 10_000)

  private func sent(
    _ exchange: Exchange, _ configure: (inout ImageDownloader.Configuration) -> Void = { _ in }
  ) -> TransportRequest {
    var configuration = ImageDownloader.Configuration()
    configure(&configuration)
    return exchange.transportRequest(configuration)
  }

  @Test func restOfABrokenDownloadIsRequestedWithinTheLimitOfTheWholeBody() throws {
    let bytes = [UInt8](repeating: 7, count: 5000)
    let resumable = try #require(ResumableData(bytes, of: head, length: 10_000, validator: nil))
    let exchange = Exchange(request(), resumable: resumable)

    let sent = sent(exchange) { $0.responses.bodyLimit = 6000 }

    #expect(sent.headers["Range"] == "bytes=5000-")
    #expect(sent.headers["If-Range"] == "\"a\"")
    #expect(sent.bodyLimit == 1000)
    #expect(sent.acceptableStatuses.contains(206...206))
    #expect(exchange.resumable?.bytes.isEmpty == true, "the bytes belong to the assembler")
  }

  @Test func conditionalRequestAcceptsNotModified() {
    let exchange = Exchange(request(), resumable: nil, validators: ["If-None-Match": "\"a\""])
    let sent = sent(exchange)
    #expect(sent.headers["If-None-Match"] == "\"a\"")
    #expect(sent.acceptableStatuses.contains(304...304))
  }

  @Test func retryIsLimitedToTheRemainingTime() {
    let sent = sent(Exchange(request(), resumable: nil, spent: 10)) { $0.timeouts.total = 60 }
    #expect(sent.timeouts.total == 50)
  }

  @Test func urlOfTheRequestModifierIsNotStored() throws {
    let signed = try #require(URL(string: "http://a.test/a.jpg?signature=1"))
    let response = TransportResponse(url: signed, status: 200)
    var exchange = Exchange(request(), resumable: nil)
    #expect(exchange.unmodified(response).url == signed, "the request was not modified")

    exchange.begin((TransportRequest(url: signed), time: 100))
    #expect(exchange.hasBegun)
    #expect(exchange.unmodified(response).url == url())
    let redirected = TransportResponse(url: url("other.jpg"), status: 200)
    #expect(exchange.unmodified(redirected).url == url("other.jpg"))
  }

  @Test func headOfAResponseArrivesBeforeTheBody() {
    var exchange = Exchange(request(), resumable: nil)
    exchange.begin((TransportRequest(url: url()), time: 100))
    #expect(exchange.received(110, TransportMetrics(firstByte: 1, total: 4)) == 107)
    #expect(exchange.received(110, TransportMetrics(firstByte: 1, total: 400)) == 100)
    #expect(exchange.received(110, TransportMetrics(total: .infinity)) == 110)
    #expect(exchange.received(110, nil) == 110)
  }
}
