public import FoundationEssentials
public import VitrineConcurrency
public import VitrineGraphics

extension ImageDownloader {
  /// A function that changes a request before sending; see `Configuration.requests.modifier`.
  public typealias RequestModifier = @Sendable (TransportRequest) async throws -> TransportRequest
  /// A function that changes the head of a response; see `Configuration.responses.modifier`.
  public typealias ResponseModifier = @Sendable (TransportResponse) async throws -> TransportResponse
  /// A function that changes the bytes of a body; see `Configuration.responses.bodyModifier`.
  public typealias BodyModifier = @Sendable ([UInt8], TransportResponse?) throws -> [UInt8]

  /// The settings that apply to all loads of a downloader, grouped by subject.
  ///
  /// ```swift
  /// var configuration = ImageDownloader.Configuration()
  /// configuration.queue.maximumActiveDownloads = 8
  /// configuration.timeouts.connect = 5
  /// configuration.requests.headers["Accept-Language"] = "de"
  /// ```
  public struct Configuration: Sendable {
    /// The number and the order of concurrent downloads.
    public var queue = Queue()
    /// The time limits of a transfer; by default 10 s to connect, 15 s without a byte, and 60 s in total.
    public var timeouts = TransportRequest.Timeouts()
    /// The defaults of requests and the functions that change requests.
    public var requests = Requests()
    /// The rules that responses must meet and the functions that change responses.
    public var responses = Responses()
    /// The policy for retrying failed downloads; two retries by default.
    public var retries = RetryPolicy()
    /// The policy for sending failed requests again for slots on the screen; by default after delays of seconds to
    /// minutes.
    public var recovery = RecoveryPolicy()
    /// The memory of permanent failures, which lets a request that failed a short time ago fail at once; `nil`, the
    /// default, sends each request.
    ///
    /// A request still joins a running load. `CachePolicy.reload` ignores the remembered failure. A successful load,
    /// `removeFailure(for:)`, `removeAllFailures()` and the return of the network remove remembered failures. Files and
    /// data URLs are read each time.
    public var failureMemory: FailureMemory?
    /// The rules that decide when a stored response must be revalidated, and how long a stale response may be shown.
    public var freshness = FreshnessRules()
    /// The pixel format and the threads of decoding.
    public var decoding = Decoding()
    /// The ledger and the limits of the memory that loads use. The memory cache has limits of its own.
    public var memory = Memory()
    /// The intervals at which a running load reports progress and shows previews.
    public var intervals = Intervals()
    /// The number of seconds that a disk lookup may take before the network is asked as well.
    package var diskPatience = LookupLine.deadline
    /// The clocks, the trace and the transfer counter; by default those of the process.
    public var environment = Environment()

    /// Creates a configuration with the defaults.
    public init() {}
  }
}

extension ImageDownloader.Configuration {
  /// The number and the order of concurrent downloads. The downloader has properties of the same names, which change
  /// these settings while the downloader is in use.
  public struct Queue: Sendable {
    /// The maximum number of concurrent network transfers; 6 by default. Values below 1 count as 1.
    public var maximumActiveDownloads = 6
    /// The maximum number of concurrent network transfers to one server (scheme, host and port); 4 by default. Values
    /// below 1 count as 1. The limit is 100 for a server that has spoken HTTP/2.
    public var maximumActiveDownloadsPerHost = 4
    /// The order in which waiting downloads of the same priority start; `.newestBatch` by default.
    public var prioritization = Prioritization.newestBatch
    /// The rate limit for downloads that are cancelled before they finish; `nil` disables the limit. By default 32 at
    /// once, then 16 per second. A download that finishes does not count.
    public var rateLimit: RateLimit? = RateLimit()
  }

  /// The defaults of requests and the functions that change requests.
  public struct Requests: Sendable {
    /// Default header fields, sent with each request that has no field of the same name (SDWebImage's
    /// `setValue:forHTTPHeaderField:`); none by default. Set a field by its name, and remove it with nil.
    ///
    /// Fields that change the response (`RequestIdentity.headerNames`) are part of the identity of each image.
    /// `processor` and `headersFilter` receive requests that contain these fields.
    public var headers: HTTPHeaders = [:]
    /// The transforms applied to each image whose request has no transforms of its own; none by default. They are part
    /// of the identity of the image, like the transforms of a request (YYWebImage's `sharedTransformBlock`).
    public var transforms: [any ImageTransform] = []
    /// A function that changes each request before its image is looked up, for example to give all requests to one
    /// server a size or transforms; `nil` by default (SDWebImage's options processor). The other settings apply to the
    /// request that the function returns.
    ///
    /// Called for each lookup and each load, on the caller's thread and on several threads at a time, so the function
    /// must return quickly. It may receive a request that it has already processed.
    public var processor: (@Sendable (ImageRequest) -> ImageRequest)?
    /// A function that returns the headers to send, given the URL and the headers of a request; `nil` by default.
    ///
    /// Called for each lookup and each load, on the caller's thread and on several threads at a time, so the function
    /// must return quickly. Returned headers that change the response (`RequestIdentity.headerNames`) are part of the
    /// identity of the image: an image that was loaded with one token is not served to a request with another. Set a
    /// field instead of appending it, because the function may receive headers that it has already processed.
    public var headersFilter: (@Sendable (URL, HTTPHeaders) -> HTTPHeaders)?
    /// A function that returns the URL that identifies an image, given the URL to fetch; for URLs with parts that do
    /// not matter, such as a signature. `nil`, the default, identifies an image by the URL to fetch.
    ///
    /// Called like `headersFilter`. Requests with the same key are requests for the same image in the cache and share
    /// one transfer: the URL of the first request is fetched, and if that fails, all of the requests fail. A cache that
    /// is queried without the downloader does not use the keys.
    public var keyFilter: (@Sendable (URL) -> URL)?
    /// Changes each request just before sending, or refuses the request by throwing an error; `nil` by default
    /// (SDWebImage's request modifier).
    ///
    /// Runs in a task of its own, once for each attempt, so that an expired token can be renewed here. The changes are
    /// not part of the identity of the image; use `headersFilter` for headers that must be. A thrown `ImageError` is
    /// reported unchanged, a `CancellationError` as `.cancelled`, and any other error as `.requestRefused`.
    public var modifier: ImageDownloader.RequestModifier?
  }

  /// The rules that responses must meet and the functions that change responses.
  public struct Responses: Sendable {
    /// The statuses and content types that are accepted, checked before the bytes are read; every 2xx status by
    /// default.
    public var acceptance = ResponseAcceptance()
    /// The maximum number of bytes of a body; 64 MiB by default. A larger body fails with `.tooLarge(.body)`.
    public var bodyLimit = 64 << 20
    /// Changes the head of each response before the response is accepted, or refuses the response by throwing an error;
    /// `nil` by default (SDWebImage's response modifier).
    ///
    /// Runs in a task of its own while the body arrives, for responses of any status; `acceptance` applies to the
    /// changed head. A thrown `ImageError` is reported unchanged, a `CancellationError` as `.cancelled`, and any other
    /// error as `.responseRefused`.
    public var modifier: ImageDownloader.ResponseModifier?
    /// Changes the bytes of each body before they are decoded, for example to decrypt them, or refuses them by throwing
    /// an error; `nil` by default (SDWebImage's decryptor). Errors are reported like those of `modifier`. With a body
    /// modifier, no previews are shown, because an incomplete body cannot be modified.
    ///
    /// Runs on a decoding thread, or for a response from disk on a disk thread. A response from disk that the modifier
    /// refuses counts as not stored. For a response from disk, the modifier receives only the headers that are stored:
    /// those of HTTP caching, and the type, length, encoding, range, language and disposition of the body.
    public var bodyModifier: ImageDownloader.BodyModifier?
  }

  /// The pixel format and the threads of decoding.
  public struct Decoding: Sendable {
    /// The byte order of the pixels that decoders write; `.bgra` by default.
    public var pixelFormat = PixelFormat.bgra
    /// The maximum number of threads that decode and transform; the number of active processors by default. Values
    /// below 1 count as 1.
    public var threads = ProcessInfo.processInfo.activeProcessorCount
  }

  /// The ledger and the limits of the memory that loads use.
  public struct Memory: Sendable {
    /// The ledger that counts arriving bodies, images being decoded and the memory cache, and that decides when there
    /// is room to decode. `nil`, the default, uses the ledger of `Application` or `bootstrap()`. If an application
    /// creates a downloader without a ledger, the downloader gets a ledger without a budget, and its cache keeps the
    /// ledger that it has.
    public var ledger: MemoryLedger?
    /// The limit in bytes for bodies that wait to be decoded or are being decoded; 512 KiB by default. While the limit is
    /// reached, no download and no disk lookup starts.
    ///
    /// While there are such bodies, a download from a server starts beside others only if all of them, each counted as
    /// long as recent bodies were, and the undecoded bodies together do not exceed twice the limit.
    public var undecodedBytesLimit = 512 << 10
    /// The maximum number of bytes of resumable data: bodies of transfers that broke, were paused or were cancelled,
    /// kept so that the next request asks only for the rest. 8 MiB by default, and at most an eighth of the ledger's
    /// budget; 0 keeps none. A disk cache that keeps incomplete responses, like `DiskImageCache`, also stores more than
    /// 64 KiB of a broken or paused download, up to a limit of its own, so that a later run of the program continues.
    ///
    /// A body of at least 4 KiB is kept if its response has a strong entity tag or a date of last change, and its
    /// server does not refuse ranges. The response to the request for the rest (`Range`, `If-Range`) tells whether the
    /// body is unchanged (RFC 9110, 13.1.5).
    public var resumableBytesLimit = 8 << 20
    /// True to keep everything that a slow disk has not written yet, for a tool that fills a cache; false by default,
    /// which leaves out what exceeds `DiskWrites.unwrittenBytesLimit`. Bodies that wait count against the ledger, so that
    /// further bodies arrive only when there is room. Pixels do not, so the caller waits for them between loads.
    package var keepsUnwritten = false
  }

  /// The intervals at which a running load reports progress and shows previews.
  public struct Intervals: Sendable {
    /// The minimum number of seconds between two progress reports of a load; 0 by default. The report that the declared
    /// length has been received is never withheld.
    public var progress = 0.0
    /// The minimum number of seconds between two previews of a load; 0.2 by default, and twice as many for `.blurred`
    /// previews. After a preview, at least the time that it took to decode passes before the next one starts.
    public var preview = 0.2
  }

  /// The clocks, the trace and the transfer counter of a downloader; by default those of the process. Tests replace the
  /// clocks.
  public struct Environment: Sendable {
    /// The clock that times retries, recovery, rate limits and remembered failures; the system's clock by default.
    public var clock: any LoadingClock = SystemLoadingClock()
    /// Returns the time in seconds since 1970, for comparison with the dates of servers; the system's clock by default.
    public var wallClock: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    /// Returns a random number from 0 to 1, by which delays and pauses differ between devices; the system's generator by
    /// default. Called with a lock held: must return at once, without calling the downloader.
    public var random: @Sendable () -> Double = { .random(in: 0...1) }
    /// The trace that records the stages of each request; `Trace.shared` by default.
    public var trace = Trace.shared
    /// The counter of running network transfers; `NetworkActivity.shared` by default.
    public var networkActivity = NetworkActivity.shared
  }
}
