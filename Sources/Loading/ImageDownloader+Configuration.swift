public import FoundationEssentials
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
    /// Changes the headers of each request, given its URL and its own headers; none by default (YY-F23).
    ///
    /// Called for each lookup and each load, on the caller's thread, several at a time, so it returns soon.
    /// What it answers is what is sent, and what of it changes the answer (`RequestIdentity.headerNames`) is
    /// part of the identity: pictures that came with one token are not served to another. Set a field rather
    /// than append to it, since a request may come by twice.
    public var headersFilter: (@Sendable (URL, HTTPHeaders) -> HTTPHeaders)?
    /// The URL that names a picture, given the one it is fetched from, for a URL that has parts which do not
    /// matter, such as a signature; by default a URL names itself (YY-F24).
    ///
    /// Called as `headersFilter` is. Requests of one key are one picture in the cache and share one transfer:
    /// the URL of the one that came first is fetched, and if that fails all of them have failed. A cache that
    /// is asked without the downloader knows nothing of keys.
    public var keyFilter: (@Sendable (URL) -> URL)?
    /// Lets a request fail at once whose failure was lasting and is not long ago; nil by default: each is
    /// sent (YY-F16).
    ///
    /// A request joins a load that is under way nevertheless. `CachePolicy.reload` asks again, and a success
    /// is the end of it; so are `removeFailure(for:)` and `removeAllFailures()`. Files and data URLs are read
    /// each time.
    public var failureMemory: FailureMemory?
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
