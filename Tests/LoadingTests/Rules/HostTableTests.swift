import Testing

@testable import VitrineLoading

/// The table of remembered hosts, which is bounded however many hosts were used.
@Suite struct HostTableTests {
  /// Runs one download from each of `count` hosts, one per second.
  private func ask(_ queue: inout DownloadQueue, count: Int, status: Int, retryAfter: Double?) {
    for number in 0..<count {
      let id = FetchID(number: UInt64(number))
      let now = Int64(number) * 1_000_000_000
      queue.enqueue(
        id, lane: .host(scheme: "https", name: "\(number).test", port: nil), priority: .normal, at: now)
      #expect(queue.startNext(at: now) == id)
      queue.ended(id, status: status, retryAfter: retryAfter, speaksHTTP2: true, at: now)
    }
  }

  @Test func numberOfRememberedHTTP2ServersIsBounded() {
    var queue = DownloadQueue()

    ask(&queue, count: 2000, status: 200, retryAfter: nil)

    #expect(queue.rememberedCount <= DownloadQueue.rememberedServers)
  }

  @Test func pausedServersAreForgottenAfterTheirPause() {
    var queue = DownloadQueue()

    ask(&queue, count: 2000, status: 503, retryAfter: 30)

    #expect(queue.rememberedCount <= DownloadQueue.rememberedServers + HostBackOff.limit)
    let last = DownloadQueue.Lane.host(scheme: "https", name: "1999.test", port: nil)
    #expect(
      (queue.backOff.opening(of: last, at: 1_999_000_000_000) ?? 0) > 1_999_000_000_000,
      "the last one is paused")
  }
}
