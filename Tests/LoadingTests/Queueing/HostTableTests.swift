import Testing

@testable import VitrineLoading

/// The table of remembered hosts, which is bounded however many hosts were used.
@Suite struct HostTableTests {
  /// Runs one download from each of `count` hosts, one per second.
  private func send(_ queue: inout DownloadQueue, count: Int, status: Int, retryAfter: Double?) {
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

    send(&queue, count: 2000, status: 200, retryAfter: nil)

    #expect(queue.rememberedCount <= DownloadQueue.rememberedServers)
  }

  @Test func recentHTTP2ServersAreRemembered() {
    var queue = DownloadQueue()
    send(&queue, count: 2000, status: 200, retryAfter: nil)
    queue.maximumActive = 100

    func started(from server: Int) -> Int {
      let numbers = UInt64(10_000 * server)..<UInt64(10_000 * server + 10)
      let lane = DownloadQueue.Lane.host(scheme: "https", name: "\(server).test", port: nil)
      for number in numbers { queue.enqueue(FetchID(number: number), lane: lane, priority: .normal) }
      var count = 0
      while queue.startNext() != nil { count += 1 }
      return count
    }

    #expect(started(from: 1) == queue.maximumPerHost)
    #expect(started(from: 1999) == 10)
    #expect(started(from: 2000 - DownloadQueue.rememberedServers) == 10)
  }

  @Test func serverThatIsForgottenWhileItHasDownloadsGetsFewAtOnce() {
    var queue = DownloadQueue()
    queue.maximumActive = 100
    send(&queue, count: 1, status: 200, retryAfter: nil)
    let lane = DownloadQueue.Lane.host(scheme: "https", name: "0.test", port: nil)
    for number in 10_000..<10_010 {
      queue.enqueue(FetchID(number: UInt64(number)), lane: lane, priority: .low)
    }
    for number in 1...DownloadQueue.rememberedServers {
      let other = DownloadQueue.Lane.host(scheme: "https", name: "other\(number).test", port: nil)
      let id = FetchID(number: UInt64(number))
      queue.enqueue(id, lane: other, priority: .high)
      #expect(queue.startNext() == id)
      queue.ended(id, status: 200, speaksHTTP2: true)
    }

    var count = 0
    while queue.startNext() != nil { count += 1 }

    #expect(count == queue.maximumPerHost)
  }

  @Test func pausedServersAreForgottenAfterTheirPause() {
    var queue = DownloadQueue()

    send(&queue, count: 2000, status: 503, retryAfter: 30)

    #expect(queue.rememberedCount <= DownloadQueue.rememberedServers + HostBackOff.limit)
    let last = DownloadQueue.Lane.host(scheme: "https", name: "1999.test", port: nil)
    #expect(
      (queue.backOff.opening(of: last, at: 1_999_000_000_000) ?? 0) > 1_999_000_000_000,
      "the last one is paused")
  }
}
