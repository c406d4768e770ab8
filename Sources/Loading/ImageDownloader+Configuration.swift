public import FoundationEssentials
public import VitrineGraphics

extension ImageDownloader {
  /// See `Configuration.requestModifier`.
  public typealias RequestModifier = @Sendable (TransportRequest) async throws -> TransportRequest
  /// See `Configuration.responseModifier`.
  public typealias ResponseModifier = @Sendable (TransportResponse) async throws -> TransportResponse
  /// See `Configuration.bodyModifier`.
  public typealias BodyModifier = @Sendable ([UInt8], TransportResponse?) throws -> [UInt8]

  /// What holds for all loads of a downloader.
  public struct Configuration: Sendable {
    /// Network transfers at once; below 1 counts as 1.
    public var maximumActiveDownloads = 6
    /// Network transfers at once to one server (scheme, host and port); below 1 counts as 1.
    public var maximumActiveDownloadsPerHost = 4
    /// Which of the waiting downloads of one priority starts next; by default what was asked for last, from its top.
    public var prioritization = Prioritization.newestBatch
    /// A body of more bytes fails with `.tooLarge(.body)`.
    public var bodyLimit = 64 << 20
    /// How long a transfer may take.
    public var timeouts = TransportRequest.Timeouts()
    /// The byte order that decoders write.
    public var pixelFormat = PixelFormat.bgra
    /// Applied to every picture whose request has no transforms of its own; none by default. They make another
    /// picture of it, as those of a request do (YYWebImage's sharedTransformBlock).
    public var transforms: [any ImageTransform] = []
    /// Changes each request before it is looked up, as to give all of one server a size or transforms; none by default
    /// (SDWebImage's options processor, SD-M9). What follows here sees what it makes of it.
    ///
    /// Called for each lookup and each load, on the caller's thread, several at a time, so it returns soon; a request
    /// may come by twice.
    public var requestProcessor: (@Sendable (ImageRequest) -> ImageRequest)?
    /// Default header fields, sent with each request that has no field of the same name (SDWebImage's
    /// `setValue:forHTTPHeaderField:`); none by default. Set a field by its name, and remove it with nil.
    ///
    /// Fields that change the response (`RequestIdentity.headerNames`) are part of the identity of each image.
    /// `requestProcessor` and `headersFilter` receive requests that contain these fields.
    public var headers: HTTPHeaders = [:]
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
    /// Which failures are tried again, and when; two retries by default.
    public var retries = RetryPolicy()
    /// The policy for sending failed requests again for slots on the screen; by default after seconds to minutes.
    public var recovery = RecoveryPolicy()
    /// How many downloads may be started in vain; nil for any number. It never slows down what is let finish.
    public var rateLimit: RateLimit? = RateLimit()
    /// Bytes of bodies that broke off, were paused or given up, kept to ask only for the rest next time; 0 keeps none.
    ///
    /// Kept are bodies whose server names a strong entity tag or a date of last change and gives ranges; the answer to
    /// the request for the rest (`Range`, `If-Range`) says whether it is still the same body (RFC 9110, 13.1.5).
    public var resumableBytesLimit = 8 << 20
    /// Which answers count as pictures before their bytes are looked at; every 2xx by default.
    public var acceptance = ResponseAcceptance()
    /// Changes each request just before it is sent, or refuses it by throwing; none by default (SD-D23).
    ///
    /// Runs as a task of its own, once for each try, so that a token that expires can be renewed here. What it changes
    /// takes no part in the identity of the picture; see `headersFilter` for what must. An `ImageError` that it throws
    /// is heard as it is, any other error as `.requestRefused`.
    public var requestModifier: RequestModifier?
    /// Changes the head of each answer before it is judged, or refuses it by throwing; none by default (SD-D24).
    ///
    /// Runs as a task of its own while the body comes. It sees every answer, whatever its status, and `acceptance`
    /// judges what it makes of it. An `ImageError` that it throws is heard as it is, any other as `.responseRefused`.
    public var responseModifier: ResponseModifier?
    /// Changes the bytes of each body before they are decoded, as to decrypt them, or refuses them by throwing; none by
    /// default (SD-D25). Runs on a decoding thread; errors are heard as those of `responseModifier`. With one, no picture is
    /// shown in part: what it makes of the whole is not to be had from a piece (SD-F91).
    ///
    /// For a response from disk, the modifier gets only the headers that are stored: those of HTTP caching, and the
    /// type, length, encoding, range, language and disposition of the body.
    public var bodyModifier: BodyModifier?
    /// How long what is on disk is shown without asking its server, and how long at all.
    public var freshness = FreshnessRules()
    /// Seconds between two reports of a load's progress, at least; 0 by default. The last is always reported.
    public var progressInterval = 0.0
    /// Seconds between two pictures in part of one load, at least, twice that where they are blurred; 0.2 by default
    /// (YY-F35). One that takes long to decode delays the next by as long again.
    public var partialImageInterval = 0.2
    /// Threads that decode and transform; below 1 counts as 1.
    public var decodingThreads = ProcessInfo.processInfo.activeProcessorCount
    /// No download starts while more bytes than this wait to be decoded.
    public var undecodedBytesLimit = 1 << 20

    /// The clock that times retries, recovery, rate limits and remembered failures; the system's clock by default.
    public var clock: any LoadingClock = SystemLoadingClock()
    /// Seconds since 1970, for servers that name a date; the system's by default.
    public var wallClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    /// Where bodies on their way, pictures that are being decoded and the memory cache count, and which says when there
    /// is room to decode. Nil, the default, is the one of `Application` or `bootstrap()`; a downloader of one's own then
    /// has one without a bound, and its cache counts where it did.
    public var ledger: MemoryLedger?

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
    /// Downloads that were tried again after a failure.
    public internal(set) var retries = 0
    /// Transfers that brought the rest of a body that was here in part.
    public internal(set) var resumed = 0
    /// Loads that succeeded, by where the picture was; each caller counts.
    public internal(set) var loads: [ImageResponse.Source: Int] = [:]
    /// Loads that succeeded with a picture that may have changed; see `ImageResponse.Freshness`.
    public internal(set) var stale = 0
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
      case .success(let response):
        loads[response.source, default: 0] += times
        if case .stale = response.freshness { stale += times }
      case .failure(.cancelled): cancellations += times
      case .failure: failures += times
      }
    }
  }
}
