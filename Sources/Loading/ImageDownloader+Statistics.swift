extension ImageDownloader {
  /// The counters of a downloader.
  public struct Statistics: Hashable, Sendable {
    /// The number of requests sent over the network, including redirects.
    public internal(set) var requests = 0
    /// The number of body bytes received from the network.
    public internal(set) var bytes = 0
    /// The number of connections opened.
    public internal(set) var connections = 0
    /// The number of retries of downloads.
    public internal(set) var retries = 0
    /// The number of transfers that completed a body from resumable data.
    public internal(set) var resumed = 0
    /// The number of successful loads by the source of the image; each caller counts.
    public internal(set) var loads: [ImageResponse.Source: Int] = [:]
    /// The number of successful loads of stale images; see `ImageResponse.Freshness`.
    public internal(set) var stale = 0
    /// The number of failed loads, without cancelled loads.
    public internal(set) var failures = 0
    /// The number of cancelled loads.
    public internal(set) var cancellations = 0

    /// Creates counters at 0.
    package init() {}

    mutating func count(_ metrics: TransportMetrics) {
      requests += metrics.requests
      bytes += metrics.bytesReceived
      connections += metrics.connections
    }

    mutating func count(_ result: Result<ImageResponse, ImageError>, times: Int) {
      guard times > 0 else { return }
      switch result {
      case .success(let response):
        loads[response.source, default: 0] += times
        if case .stale = response.freshness { stale += times }
      case .failure(.cancelled): cancellations += times
      case .failure: failures += times
      }
    }
  }
}
