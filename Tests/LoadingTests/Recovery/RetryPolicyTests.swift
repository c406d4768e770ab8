import Testing
import VitrineGraphics

@testable import VitrineLoading

/// The errors that are retried, and the delays before the retries.
@Suite struct RetryPolicyTests {
  private func delay(
    _ policy: RetryPolicy = RetryPolicy(limit: 3, delay: 1, maximumDelay: 60), retries: Int = 0,
    _ error: ImageError = .status(503), retryAfter: Double? = nil, random: Double = 1
  ) -> Double? {
    policy.delay(beforeRetry: retries, of: error, retryAfter: retryAfter, random: random)
  }

  @Test(
    arguments: [
      .status(408), .status(425), .status(429), .status(500), .status(502), .status(503), .status(504),
      .transport(.cannotConnect, message: ""), .transport(.cannotResolveHost, message: ""),
      .transport(.connectionLost, message: ""),
      .timedOut(.connect(seconds: 1)), .timedOut(.stall(seconds: 1)), .timedOut(.total(seconds: 1)),
      .proxyFailed(status: nil, message: ""), .proxyFailed(status: 503, message: ""),
    ] as [ImageError])
  func retryableErrorsAreRetried(error: ImageError) {
    #expect(delay(RetryPolicy(), error) != nil)
  }

  @Test(
    arguments: [
      .cancelled, .status(404), .status(401), .status(410), .status(501), .notAnImage(signature: [1]),
      .emptyBody, .tooLarge(.body(bytes: 1)), .untrustedServer(host: "a", cause: .expired, message: ""),
      .redirectRefused(.downgrade),
      .proxyFailed(status: 407, message: ""), .transport(.invalidRequest, message: ""), .contentType(""),
      .transport(.unsupported, message: ""), .transport(.invalidRequest, message: ""),
      .transport(.unsupported, message: ""),
      .transport(.aborted, message: ""), .transport(.unexpectedEncoding, message: ""),
      .requestRefused(""), .responseRefused(""), .shutDown, .decoding(.jpeg, message: ""),
      .unreadableFile(path: "", message: ""),
    ] as [ImageError])
  func permanentErrorsAreNotRetried(error: ImageError) {
    #expect(delay(RetryPolicy(), error) == nil)
  }

  @Test func delayDoublesUpToTheMaximum() {
    let policy = RetryPolicy(limit: 100, delay: 1, maximumDelay: 10)
    #expect((0..<6).map { delay(policy, retries: $0) } == [1, 2, 4, 8, 10, 10])
    #expect(delay(policy, retries: 99) == 10)
  }

  @Test func randomFactorHalvesTheDelayAtMost() {
    #expect(delay(random: 0) == 0.5)
    #expect(delay(random: 0.5) == 0.75)
    #expect(delay(retries: 1, random: 0) == 1)
  }

  @Test func limitCountsRetries() {
    #expect(delay(retries: 2) != nil)
    #expect(delay(retries: 3) == nil)
    #expect(delay(.none) == nil)
    #expect(delay(RetryPolicy(limit: -1)) == nil)
  }

  @Test func retryAfterExtendsTheDelayUpToTheMaximum() {
    #expect(delay(retryAfter: 20, random: 0) == 20)
    #expect(delay(retryAfter: 20, random: 1) == 22, "clients do not return at the same time")
    #expect(delay(retryAfter: 0.1) == 1)
    #expect(delay(retryAfter: 60, random: 0) == 60)
    #expect(delay(retryAfter: 61) == nil, "longer than the maximum delay")
    #expect(delay(retryAfter: .nan) == nil)
    #expect(delay(retryAfter: .infinity) == nil)
  }

  @Test func negativeDelaysCountAsZero() {
    #expect(delay(RetryPolicy(limit: 1, delay: -5)) == 0)
    #expect(delay(RetryPolicy(limit: 1, delay: 5, maximumDelay: -1)) == 0)
  }
}
