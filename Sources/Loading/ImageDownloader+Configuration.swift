import FoundationEssentials
public import VitrineGraphics

extension ImageDownloader {
  /// What holds for all loads of a downloader.
  public struct Configuration: Sendable {
    /// Network transfers at once; below 1 counts as 1.
    public var maximumActiveDownloads = 6
    /// Network transfers at once to one server (scheme, host and port); below 1 counts as 1.
    public var maximumActiveDownloadsPerHost = 4
    /// Which of the waiting downloads of one priority starts next.
    public var prioritization = Prioritization.fifo
    /// A body of more bytes fails with `.tooLarge(.body)`.
    public var bodyLimit = 64 << 20
    /// How long a transfer may take.
    public var timeouts = TransportRequest.Timeouts()
    /// The byte order that decoders write.
    public var pixelFormat = PixelFormat.bgra
    /// Applied to every picture whose request has no transforms of its own; none by default. They make another
    /// picture of it, as those of a request do (YYWebImage's sharedTransformBlock).
    public var transforms: [any ImageTransform] = []
    /// Threads that decode and transform; below 1 counts as 1.
    public var decodingThreads = ProcessInfo.processInfo.activeProcessorCount
    /// No download starts while more bytes than this wait to be decoded.
    public var undecodedBytesLimit = 1 << 20

    /// Where it writes down what each request went through; `Trace.shared` unless said otherwise.
    public var trace = Trace.shared

    /// Where its network transfers are counted while they run; `NetworkActivity.shared` unless said otherwise.
    public var networkActivity = NetworkActivity.shared

    /// The defaults.
    public init() {}
  }

  /// What a downloader has done so far.
  public struct Statistics: Hashable, Sendable {
    /// Requests sent over the network, redirects included.
    public internal(set) var requests = 0
    /// Bytes of bodies from the network.
    public internal(set) var bytes = 0
    /// Connections opened.
    public internal(set) var connections = 0
    /// Loads that succeeded, by where the picture was; each caller counts.
    public internal(set) var loads: [ImageResponse.Source: Int] = [:]
    /// Loads that failed, cancelled ones apart.
    public internal(set) var failures = 0
    /// Loads that were given up.
    public internal(set) var cancellations = 0

    /// Nothing done.
    public init() {}

    mutating func count(_ metrics: TransportMetrics) {
      requests += metrics.requests
      bytes += metrics.bytesReceived
      connections += metrics.connections
    }

    mutating func count(_ result: Result<ImageResponse, ImageError>, times: Int) {
      switch result {
      case .success(let response): loads[response.source, default: 0] += times
      case .failure(.cancelled): cancellations += times
      case .failure: failures += times
      }
    }
  }
}
