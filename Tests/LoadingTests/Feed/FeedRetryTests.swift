import Testing

@testable import VitrineLoading

struct FeedRetryTests {
  private let unreachable = FeedRetry.Outcome.failed(.transport(.cannotConnect, message: "refused"))

  @Test func retryDelaysDoubleUpToAMinute() {
    var retry = FeedRetry()

    let actions = (0..<9).map { _ in retry.next(after: unreachable, random: 1) }

    #expect(actions == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .retry(after: $0) })
  }

  @Test func retryDelaysHaveJitterOfOneHalf() {
    var retry = FeedRetry()

    #expect(retry.next(after: unreachable, random: 0) == .retry(after: 0.5))
    #expect(retry.next(after: unreachable, random: 0.5) == .retry(after: 1.5))
  }

  @Test func staleListIsReloadedUntilItIsFresh() {
    var retry = FeedRetry()

    #expect(retry.next(after: .stale, random: 1) == .retry(after: 1))
    #expect(retry.next(after: .stale, random: 1) == .retry(after: 2))
    #expect(retry.next(after: .fresh, random: 1) == .finish)
    #expect(retry.next(after: unreachable, random: 1) == .retry(after: 1))
  }

  @Test(arguments: [
    ImageError.invalidURL("x"), .tooLarge(.body(bytes: 1)), .shutDown,
    .transport(.invalidRequest, message: ""),
  ])
  func permanentErrorIsNotRetried(error: ImageError) {
    var retry = FeedRetry()

    #expect(retry.next(after: .failed(error), random: 1) == .giveUp)
  }

  @Test(arguments: [401, 403, 404, 407, 410, 451]) func refusedRequestIsRetriedAfterAMinute(status: Int) {
    var retry = FeedRetry()

    let actions = (0..<3).map { _ in retry.next(after: .failed(.status(status)), random: 1) }

    #expect(actions == Array(repeating: .retry(after: 60), count: 3))
    #expect(retry.next(after: .failed(.status(status)), random: 0) == .retry(after: 30))
    #expect(retry.next(after: unreachable, random: 1) == .retry(after: 1))
  }

  @Test(arguments: [
    ImageError.redirectRefused(.downgrade), .contentType("text/html"),
    .transport(.unsupported, message: "Received HTTP/0.9 when not allowed"),
    .untrustedServer(host: "", cause: .wrongHost, message: ""),
  ])
  func responseOfACaptivePortalIsRetriedAfterAMinute(error: ImageError) {
    var retry = FeedRetry()

    #expect(retry.next(after: .failed(error), random: 1) == .retry(after: 60))
  }

  @Test(arguments: [
    ImageError.status(503), .status(429), .status(500), .timedOut(.connect(seconds: 1)),
    .status(521), .proxyFailed(status: nil, message: ""), .proxyFailed(status: 407, message: ""), .emptyBody,
    .invalidData("line 1 is no URL"), .untrustedServer(host: "", cause: .notYetValid, message: ""),
    .cancelled,
  ])
  func retryableErrorIsRetried(error: ImageError) {
    var retry = FeedRetry()

    #expect(retry.next(after: .failed(error), random: 1) == .retry(after: 1))
  }
}
