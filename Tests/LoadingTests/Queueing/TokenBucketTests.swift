import Testing

@testable import VitrineLoading

/// The rate limit for downloads that are cancelled before they finish.
@Suite struct TokenBucketTests {
  private let second: Int64 = 1_000_000_000

  private func drain(_ bucket: inout TokenBucket, at time: Int64) -> Int {
    var count = 0
    while count < 1000, let next = bucket.nextToken(at: time), next <= time {
      bucket.take(at: time)
      count += 1
    }
    return count
  }

  @Test func tokensComeInABurstAndThenAtTheRate() {
    var bucket = TokenBucket(RateLimit(burst: 5, perSecond: 2))
    #expect(drain(&bucket, at: 0) == 5)
    let next = bucket.nextToken(at: 0) ?? 0
    #expect(abs(next - second / 2) < 10_000)
    #expect(drain(&bucket, at: second) == 2)
    #expect(drain(&bucket, at: 100 * second) == 5, "never more than the burst")
  }

  @Test func tokensTakenInExcessAreOwed() {
    var bucket = TokenBucket(RateLimit(burst: 2, perSecond: 1))
    for _ in 0..<5 { bucket.take(at: 0) }
    #expect(drain(&bucket, at: 3 * second) == 0)
    #expect(drain(&bucket, at: 5 * second) == 2)
  }

  @Test func clockThatGoesBackAddsNoTokens() {
    var bucket = TokenBucket(RateLimit(burst: 1, perSecond: 1))
    #expect(drain(&bucket, at: 10 * second) == 1)
    #expect(drain(&bucket, at: 0) == 0)
    #expect(drain(&bucket, at: 10 * second) == 0)
    #expect(drain(&bucket, at: 12 * second) == 1)
  }

  @Test(arguments: [0.0, -1, .nan]) func nonPositiveOrNaNRateAddsNoTokens(rate: Double) {
    var bucket = TokenBucket(RateLimit(burst: -3, perSecond: rate))
    #expect(drain(&bucket, at: 0) == 1)
    let next = bucket.nextToken(at: .max)
    #expect(next == nil)
  }

  @Test func smallerLimitAppliesAtOnce() {
    var bucket = TokenBucket(RateLimit(burst: 10, perSecond: 1))
    bucket.limit = RateLimit(burst: 3, perSecond: 1)
    #expect(drain(&bucket, at: 0) == 3)
  }
}
