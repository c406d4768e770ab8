import VitrineGraphics

extension LoadEngine {
  struct State {
    var registry: LoadRegistry
    var router: TransportRouter
    var tasks = LoadTable<Waiter, ImageTask>()
    var transfers = LoadTable<Fetch, Transfer>()
    /// Those who have left a transfer that goes on, until no lock is held: what they hold is other people's.
    var tasksLetGo: [ImageTask] = []
    /// Pictures that were offered to the cache.
    var storeCount = 0
    var storesOnMainQueue = false
    /// nil unless it was asked for.
    var failures: FailureMemory?
    var statistics = ImageDownloader.Statistics()
    var partials = PartialBodies(limit: 0)
    var varying = VaryingHeaders()
    /// Tries of fetches so far.
    var tries: UInt64 = 0
    /// Transfers whose transport has not ended, those that were given up included.
    var openTransfers = 0
    var writes = DiskWrites()
    /// The next time at which disk changes are checked.
    var writesWake: Int64?
    var stalePictures = StalePictures()
    var networkReturns = NetworkReturns()
    var isShutDown = false
    var waitingForIdle: [CheckedContinuation<Void, Never>] = []

    /// Callers whose answer is on its way to them.
    var beingAnswered = 0

    var isIdle: Bool {
      registry.isEmpty && tasks.isEmpty && beingAnswered == 0 && openTransfers == 0 && writes.isIdle
        && registry.lookups.isIdle
    }

    /// Takes out what `actions` give up, in the same turn as that is decided: another transfer of the same fetch may
    /// begin before it is stopped.
    mutating func work(_ actions: [LoadAction]) -> Work {
      var work = Work(
        actions: actions, decodersLetGo: registry.takeDecodersLetGo(), tasksLetGo: tasksLetGo)
      tasksLetGo = []
      for case .cancelFetch(let id) in actions { work.givenUp[id] = transfers.removeValue(forKey: id) }
      for case .pauseFetch(let id) in actions { work.givenUp[id] = transfers.removeValue(forKey: id) }
      return work
    }

    mutating func takeIdleWaiters() -> [CheckedContinuation<Void, Never>] {
      guard isIdle else { return [] }
      defer { waitingForIdle = [] }
      return waitingForIdle
    }

    /// What lies on this machine is read each time: it may change at any time, and costs no network.
    mutating func remember(_ error: ImageError, of request: ImageRequest, at now: Int64) {
      if !request.isLocal { failures?.remember(error, of: request.identity.asSent, at: now) }
    }
  }

  /// What is to be done without the lock.
  struct Work {
    var actions: [LoadAction] = []
    var decodersLetGo: [CountedDecoder] = []
    var tasksLetGo: [ImageTask] = []
    var givenUp: [FetchID: Transfer] = [:]
  }

  struct Transfer {
    let receiver: FetchReceiver
    /// What it is of, whatever key a filter has given it.
    var identity: RequestIdentity
    /// What came at an earlier try.
    let partial: PartialBody?
    /// What makes the request one for an answer that has changed; empty for most.
    let validators: HTTPHeaders
    /// Seconds that earlier tries took.
    let spent: Double
    /// Whether its transport has been asked; before that a modifier may be.
    var hasBegun = false
    var exchange = Exchange()
    /// nil until the transport has returned from `start`.
    var handle: (any Cancellable)?

    /// The headers that an answer varies with, as they were asked for: what a modifier changes takes no part in what the
    /// same is.
    func varying(_ received: HTTPHeaders) -> [HTTPHeaders.Field] {
      StoredAnswer.varying(received, sent: identity.allHeaders, credentials: identity.credentials)
    }
  }
}
