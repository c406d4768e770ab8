import VitrineConcurrency
import VitrineGraphics

extension LoadEngine {
  struct State {
    var registry: LoadRegistry
    var router: TransportRouter
    var tasks = LoadTable<Waiter, ImageTask>()
    var transfers = LoadTable<Fetch, Transfer>()
    /// Tasks that have left a running transfer. Released without a lock, because they may hold objects of the
    /// application.
    var releasedTasks: [ImageTask] = []
    /// The number of images that the cache was offered.
    var storeCount = 0
    var storesOnMainQueue = false
    /// The remembered failures; `nil`, the default, if failures are not remembered.
    var failures: FailureMemory?
    var statistics = ImageDownloader.Statistics()
    var resumableDataStore = ResumableDataStore(limit: 0)
    var varying = VaryingHeaders()
    /// The number of attempts of all fetches so far.
    var tries: UInt64 = 0
    /// The number of transfers whose transport has not reported the end, including cancelled transfers.
    var openTransfers = 0
    var writes = DiskWrites()
    /// The next time at which disk changes are checked.
    var writesWake: Int64?
    var staleImages = StaleImages()
    var networkReturns = NetworkReturns()
    var isShutDown = false
    var waitingForIdle: [CheckedContinuation<Void, Never>] = []

    /// The number of callers to whom a result is being delivered.
    var completing = 0

    var isIdle: Bool {
      registry.isEmpty && tasks.isEmpty && completing == 0 && openTransfers == 0 && writes.isIdle
        && registry.lookups.isIdle
    }

    /// Returns the work for `actions`, including the transfers to stop. The transfers are removed in the same critical
    /// section as the decision, because another transfer of a fetch may begin before the earlier one is stopped.
    mutating func work(_ actions: [LoadAction]) -> Work {
      var work = Work(
        actions: actions, releasedDecoders: registry.takeReleasedDecoders(), releasedTasks: releasedTasks)
      releasedTasks = []
      for case .cancelFetch(let id) in actions { work.givenUp[id] = transfers.removeValue(forKey: id) }
      for case .pauseFetch(let id) in actions { work.givenUp[id] = transfers.removeValue(forKey: id) }
      return work
    }

    mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
      guard isIdle else { return [] }
      defer { waitingForIdle = [] }
      return waitingForIdle
    }

    /// Remembers a failure, except of a file or data URL: these are read each time, because they may change at any time
    /// and cost no network.
    mutating func remember(_ error: ImageError, of request: ImageRequest, at now: Int64) {
      if !request.isLocal { failures?.remember(error, of: request.identity.asSent, at: now) }
    }
  }

  /// Work to be done without the lock.
  struct Work {
    var actions: [LoadAction] = []
    var releasedDecoders: [ReservedDecoder] = []
    var releasedTasks: [ImageTask] = []
    var givenUp: [FetchID: Transfer] = [:]
  }

  struct Transfer {
    let receiver: FetchReceiver
    /// The identity of the URL and the headers as sent, without the key of a filter.
    var identity: RequestIdentity
    /// The resumable data of an earlier attempt, without the bytes.
    let resumable: ResumableData?
    /// The headers that make the request conditional; empty for most requests.
    let validators: HTTPHeaders
    /// The duration of earlier attempts in seconds.
    let spent: Double
    /// True from the start of the transport on; false while the request modifier runs.
    var hasBegun = false
    var exchange = Exchange()
    /// The handle that stops the transfer, or before that the request modifier; `nil` until either has been started.
    var handle: (any Cancellable)?

    /// Returns the request headers that the response varies with, as requested. Changes by a request modifier do not
    /// count, because they take no part in the identity of an image.
    func varying(_ received: HTTPHeaders) -> [HTTPHeaders.Field] {
      StoredResponse.varying(received, sent: identity.allHeaders, credentials: identity.credentials)
    }
  }
}
