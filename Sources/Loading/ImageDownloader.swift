public import FoundationEssentials
import Synchronization
public import VitrineGraphics

/// Loads pictures: looks in the memory cache, joins what is under way, downloads, decodes and transforms.
///
/// ```swift
/// let response = try await ImageDownloader.shared.image(for: "https://example.com/cover.jpg")
/// show(response.image)
/// ```
///
/// May be used from any thread. Every caller hears exactly once: completions on the main actor and never
/// inside the call that started the load; those who wait for one picture in the order in which they asked.
/// When a downloader goes, everything that runs is cancelled and its callers hear `.cancelled`.
public final class ImageDownloader: Sendable {
  private static let sharedBox = Mutex<ImageDownloader?>(nil)
  private static let unconfigured = ImageDownloader(
    engine: LoadEngine(configuration: .init(), transports: [], decoder: NoDecoder(), cache: nil),
    cache: nil, refusal: .notConfigured)

  /// The downloader of the process, set by `Application` or `Vitrine.bootstrap()` (AF-F14). Before that,
  /// loads fail with `.notConfigured`.
  public package(set) static var shared: ImageDownloader {
    get { sharedBox.withLock { $0 } ?? unconfigured }
    set {
      let old = sharedBox.withLock { box in
        defer { box = newValue }
        return box
      }
      _ = old  // goes here, outside the lock
    }
  }

  /// The shared downloader; nil until one is set.
  package static var configured: ImageDownloader? { sharedBox.withLock { $0 } }

  /// What its loads take in memory, and the budget for it.
  public var ledger: MemoryLedger { engine.ledger }
  /// The memory cache, if there is one.
  public let cache: (any ImageRequestCache)?
  /// What keeps the bytes of pictures on disk, if there is anything.
  public var dataCache: (any ImageDataCache)? { engine.dataCache }
  let engine: LoadEngine
  /// Why every load fails, if it does.
  private let refusal: ImageError?
  /// What it adds to requests; nil for nothing.
  private let additions: RequestAdditions?

  /// A downloader of one's own, beside `shared`; it joins and queues nothing with others.
  ///
  /// - Parameters:
  ///   - configuration: what holds for all its loads.
  ///   - transports: one is picked by the URL's scheme, the first that serves it.
  ///   - decoder: called on the downloader's own threads, several at a time.
  ///   - cache: nil for none.
  ///   - dataCache: what keeps bytes on disk; none by default.
  public convenience init(
    configuration: Configuration = .init(), transports: [any DataTransport],
    decoder: any ImageDecoding, cache: (any ImageRequestCache)? = MemoryImageCache(),
    dataCache: (any ImageDataCache)? = nil
  ) {
    if let ledger = configuration.ledger { (cache as? any MemoryHolder)?.count(against: ledger) }
    self.init(
      engine: LoadEngine(
        configuration: configuration, transports: transports, decoder: decoder, cache: cache,
        dataCache: dataCache),
      cache: cache, refusal: nil, additions: RequestAdditions(configuration))
  }

  private init(
    engine: LoadEngine, cache: (any ImageRequestCache)?, refusal: ImageError?,
    additions: RequestAdditions? = nil
  ) {
    self.engine = engine
    self.cache = cache
    self.refusal = refusal
    self.additions = additions
  }

  deinit { engine.cancelAll() }

  // MARK: Loading

  /// The picture. Cancelling the Swift task cancels the load, which then throws `.cancelled`.
  public func image(
    for source: some ImageRequestConvertible, additionalIdentifier: String? = nil
  ) async throws(ImageError) -> ImageResponse {
    let request = completedForNobodyToSee(try source.asImageRequest())
    if Task.isCancelled { throw .cancelledLoad(.init(url: request.url)) }
    let task = ImageTask(request, additionalIdentifier: additionalIdentifier)
    begin(task)
    return try await task.response
  }

  /// Loads a picture and calls `completion` once, on the main actor, after this call has returned, even for a
  /// picture from memory (AF-F22). `progress` is called there too, before it, and not for each chunk of
  /// bytes.
  ///
  /// `partialImage` is called there as well, with what can be seen of a picture whose request is `progressive` while it
  /// comes from the network: each shows more than the one before, and after the completion, or a cancel, there is none.
  ///
  /// Without a `targetSize` only a whole picture in memory is a hit; a smaller variant of it is not.
  @discardableResult
  public func load(
    _ request: ImageRequest, additionalIdentifier: String? = nil,
    completion: ImageTask.Completion? = nil, progress: ImageTask.ProgressHandler? = nil,
    partialImage: ImageTask.PartialImageHandler? = nil
  ) -> ImageTask {
    let task = ImageTask(
      completed(request), additionalIdentifier: additionalIdentifier, progress: progress,
      partialImage: partialImage, completion: completion)
    begin(task)
    return task
  }

  /// Sends a request once, without retries and without a stale response as a fallback, for a slot that already shows an
  /// image. `completion` is called like that of `load`.
  package func probe(
    _ request: ImageRequest, additionalIdentifier: String?, completion: @escaping ImageTask.Completion
  ) -> ImageTask {
    let task = ImageTask(
      completedForNobodyToSee(request), additionalIdentifier: additionalIdentifier, isProbe: true,
      completion: completion)
    begin(task)
    return task
  }

  /// The component that retries failed requests for slots on the screen.
  package var recovery: Recovery { engine.recovery }

  /// Returns the reason why an image in memory may be out of date; nil for an image that is not known to be stale. The
  /// inner error is nil while the server is being asked. Costs one atomic load while no image is stale.
  package func staleness(of image: Image) -> Staleness? { engine.staleness(of: image) }

  /// AFNetworking's form: a receipt for a load that is under way, nil for one that is not, because there is
  /// no valid URL, the picture is in memory (AF-F18) or its failure is. One of the two closures is called once, on the main
  /// actor, after this call has returned.
  @discardableResult
  public func download(
    _ source: (any ImageRequestConvertible)?, receiptID: UUID = UUID(),
    success: (@MainActor (ImageResponse) -> Void)? = nil,
    failure: (@MainActor (ImageError) -> Void)? = nil
  ) -> DownloadReceipt? {
    let request: ImageRequest
    do throws(ImageError) {
      guard let source else { throw ImageError.invalidURL("") }
      request = try source.asImageRequest()
    } catch {
      if let failure { Mailbox.main.post { failure(error) } }
      return nil
    }
    let task = ImageTask(
      completed(request), additionalIdentifier: nil,
      completion: { result in
        switch result {
        case .success(let response): success?(response)
        case .failure(let error): failure?(error)
        }
      })
    return begin(task) ? DownloadReceipt(receiptID: receiptID, task: task) : nil
  }

  /// Gives up one caller's download (AF-F27); see `ImageTask.cancel()`.
  public func cancel(_ receipt: DownloadReceipt) { receipt.task.cancel() }

  /// Whether the load is under way now; if not, it has its outcome already.
  @discardableResult
  func begin(_ task: ImageTask) -> Bool {
    guard let outcome = outcomeWithoutLoading(task) else { return true }
    engine.count(outcome)
    task.settle(outcome)
    return false
  }

  /// Starts the load and returns nil, unless there is an answer without.
  private func outcomeWithoutLoading(_ task: ImageTask) -> Result<ImageResponse, ImageError>? {
    if let refusal { return .failure(refusal) }
    if engine.isShutDown { return .failure(.shutDown) }
    let request = task.request
    let began = trace.isEnabled ? trace.now : 0
    var storeCount: Int
    repeat {
      storeCount = engine.storeCount
      if let image = hit(request, task.additionalIdentifier) {
        trace.recordServed(url: request.identity.url, image: image.number)
        return .success(ImageResponse(image: image, source: .memory))
      }
      if !engine.asksDisk(for: request) {
        if request.cachePolicy == .cacheOnly { return refuse(task, .notCached, began) }
        if let error = engine.rememberedFailure(of: request) { return refuse(task, error, began) }
      }
      // A request that is answered from the cache only may have a URL that no transport serves.
      if request.cachePolicy != .cacheOnly || request.url.scheme == nil || request.isLocal {
        do { _ = try engine.transport(for: request.url) } catch { return refuse(task, error, began) }
      }
      // Looked up too early and started too late, a load that ended in between would be done twice.
    } while !engine.start(
      task, unlessStoredSince: storeCount,
      lookup: LookupNotes(began: began, memory: missReason(request, task.additionalIdentifier)))
    return nil
  }

  private func refuse(
    _ task: ImageTask, _ error: ImageError, _ began: Int64
  ) -> Result<ImageResponse, ImageError> {
    let result = Result<ImageResponse, ImageError>.failure(error)
    trace.recordRefused(
      url: task.request.identity.url, began: began,
      memory: missReason(task.request, task.additionalIdentifier), TraceEvent.Outcome(result))
    return result
  }

  private func missReason(_ request: ImageRequest, _ additionalIdentifier: String?) -> TraceEvent.Miss {
    guard trace.isEnabled, let cache = request.cache(insteadOf: cache) else { return .noCache }
    if request.cachePolicy == .reload || request.cachePolicy == .refresh { return .bypassed }
    return cache.missReason(for: request, additionalIdentifier: additionalIdentifier)
  }

  private var trace: Trace { engine.trace }

  /// A picture that `cachedImage` gave is being shown.
  package func traceServed(_ request: ImageRequest, _ image: Image) {
    trace.recordServed(url: completed(request).identity.url, image: image.number)
  }

  private func hit(_ request: ImageRequest, _ additionalIdentifier: String?) -> Image? {
    guard request.cachePolicy != .reload, request.cachePolicy != .refresh,
      let image = request.cache(insteadOf: cache)?.image(
        for: request, additionalIdentifier: additionalIdentifier),
      request.targetSize != nil || request.isWhole(image) || request.cachePolicy == .cacheOnly
    else { return nil }
    return image
  }

  /// The request with what the configuration adds to it.
  func completed(_ request: ImageRequest) -> ImageRequest {
    var request = additions?.completing(request) ?? request
    if engine.addsCredentials {
      request.identity = request.identity.sentWith(engine.credentials(for: request))
    }
    if request.identity.hasOtherHeaders { request.identity = engine.counted(request.identity) }
    return request
  }

  /// The same where nobody can see its parts.
  func completedForNobodyToSee(_ request: ImageRequest) -> ImageRequest {
    var request = completed(request)
    if request.progressive != .none { request.progressive = .none }
    return request
  }

  // MARK: Memory

  /// The picture if it is in memory, at once and without waiting: what slots ask before they show a
  /// placeholder. Without a `targetSize` the largest variant that is there. nil for `cachePolicy.reload`.
  public func cachedImage(for request: ImageRequest, additionalIdentifier: String? = nil) -> Image? {
    guard request.cachePolicy != .reload else { return nil }
    let cache = request.cache(insteadOf: cache)
    // Without a copy of the request, on the way to every memory hit.
    if additions == nil, !request.identity.hasOtherHeaders, !engine.addsCredentials {
      return cache?.image(for: request, additionalIdentifier: additionalIdentifier)
    }
    return cache?.image(for: completed(request), additionalIdentifier: additionalIdentifier)
  }

  /// Removes a picture in all its sizes from memory; whether there was one.
  @discardableResult
  public func removeCachedImage(for request: ImageRequest, additionalIdentifier: String? = nil) -> Bool {
    request.cache(insteadOf: cache)?
      .removeImage(for: completed(request), additionalIdentifier: additionalIdentifier) ?? false
  }

  /// Empties the memory cache; whether there was anything.
  @discardableResult
  public func removeAllCachedImages() -> Bool { cache?.removeAllImages() ?? false }

  // MARK: Disk

  /// Removes what the disk has of a request's bytes; memory is left alone. Loads that begin after this call do not find
  /// it. `completion` hears on the main actor whether there was anything.
  public func removeCachedData(
    for request: ImageRequest, completion: (@MainActor (Bool) -> Void)? = nil
  ) {
    engine.removeFromDisk(completed(request).identity.withoutVarying) { wasThere in
      if let completion { Mailbox.main.post { completion(wasThere) } }
    }
  }

  /// Removes all that is on disk, that of other programs that share it too; memory is left alone. Loads that begin after
  /// this call find nothing. `completion` hears on the main actor whether there was anything.
  public func removeAllCachedData(completion: (@MainActor (Bool) -> Void)? = nil) {
    engine.removeFromDisk(nil) { wasThere in
      if let completion { Mailbox.main.post { completion(wasThere) } }
    }
  }

  /// Blocks until the pictures that have been loaded are on disk, but no longer than so many seconds: for the end of a
  /// program, which would lose what is not written yet.
  package func finishWriting(within seconds: Double) { engine.finishWriting(within: seconds) }

  /// Whether the disk has a request's bytes, fresh or not.
  public func containsCachedData(for request: ImageRequest) async -> Bool {
    let identity = completed(request).identity.withoutVarying
    return await withCheckedContinuation { continuation in
      engine.containsOnDisk(identity) { continuation.resume(returning: $0) }
    }
  }

  /// False while look-ups that take too long are under way.
  var isDiskAnswering: Bool { engine.isDiskAnswering }

  // MARK: Failures

  /// Forgets that a request has failed, so that it is sent again; whether that was remembered. See
  /// `Configuration.failureMemory`.
  @discardableResult
  public func removeFailure(for request: ImageRequest) -> Bool {
    engine.removeFailure(of: completed(request))
  }

  /// Forgets all failures; whether any was remembered.
  @discardableResult
  public func removeAllFailures() -> Bool { engine.removeAllFailures() }

  // MARK: While running

  /// What fetches: one is picked by the URL's scheme, the first that serves it. A change holds for what starts after it
  /// (SDWebImage's loaders manager).
  public var transports: [any DataTransport] {
    get { engine.transports }
    set { engine.transports = newValue }
  }

  /// Network transfers at once. A wider bound lets waiting ones start at once; a narrower one stops none.
  public var maximumActiveDownloads: Int {
    get { engine.queue.maximumActive }
    set { engine.changeQueue { $0.maximumActive = newValue } }
  }

  /// Network transfers at once to one server. Changes as `maximumActiveDownloads` does.
  public var maximumActiveDownloadsPerHost: Int {
    get { engine.queue.maximumPerHost }
    set { engine.changeQueue { $0.maximumPerHost = newValue } }
  }

  /// Which of the waiting downloads of one priority starts next; holds for those that wait already.
  public var prioritization: Prioritization {
    get { engine.queue.order }
    set { engine.changeQueue { $0.order = newValue } }
  }

  /// Whether nothing is fetched for now, neither from the network nor from files: what waits goes on waiting, what runs
  /// is let finish, and pictures in memory are shown (SD-D40).
  public var isSuspended: Bool {
    get { engine.queue.isSuspended }
    set { engine.changeQueue { $0.isSuspended = newValue } }
  }

  /// How many downloads may be started in vain; nil for any number.
  public var rateLimit: RateLimit? {
    get { engine.queue.rateLimit }
    set { engine.changeQueue { $0.rateLimit = newValue } }
  }

  /// Whether anybody waits for a picture.
  public var isRunning: Bool { engine.isRunning }

  /// Downloads that have been started and have not ended.
  public var activeDownloadCount: Int { engine.queue.activeCount }

  /// Downloads that wait for their turn, for a server that wants to be left alone, or for their next try.
  public var waitingDownloadCount: Int { engine.queue.waitingCount }

  /// Gives up all that runs and waits: everyone hears `.cancelled`, in order of registration. What is asked for after
  /// that is loaded as usual.
  public func cancelAll() { engine.cancelAll() }

  /// Returns when nobody waits any longer, every transfer has ended and nothing is read, decoded or transformed any more,
  /// for nobody either; loads that are started meanwhile count. At once if nothing runs. Everyone has been answered by
  /// then, though completions may be still on their way to the main actor.
  public func drain() async { await engine.waitUntilIdle() }

  /// Ends all work for good: loads from now on fail with `.shutDown`, what is in memory stays there. Returns when what
  /// ran has ended. Shutting down twice waits again.
  ///
  /// - Parameter cancelling: whether what runs and waits is given up; if not, it is let finish.
  public func shutDown(cancelling: Bool = true) async {
    engine.shutDown(cancelling: cancelling)
    await engine.waitUntilIdle()
  }

  /// Whether it has been shut down.
  public var isShutDown: Bool { engine.isShutDown }

  /// Notifies the downloader that the network has returned or has changed. Requests that wait for a server or for their
  /// next retry are sent now, remembered failures are forgotten, and failed requests of slots on the screen are sent
  /// again. Calls that follow an earlier one within two seconds are combined into one at the end of that time.
  /// `Application` calls this method; a program without an `Application` may call it.
  public func networkReturned() { engine.networkReturned() }

  /// Notifies the downloader that the system's clock was set. Requests that failed because a certificate had expired or
  /// was not valid yet are sent again for slots on the screen. Called by `Application` and `bootstrap()`.
  public func clockStepped() { engine.clockStepped() }

  /// Calls `handler` on the main actor each time that the network has returned or the system's clock was set, for
  /// requests that the application repeats itself. Slots repeat their requests without it.
  ///
  /// - Returns: An observation that ends when it is cancelled or released.
  public func observeConnectivity(_ handler: @escaping @MainActor @Sendable () -> Void) -> any Cancellable {
    engine.connectivity.add(handler)
  }

  /// Whether pictures come into memory in turns of the main queue alone, and only those that somebody still waits for
  /// then; false by default. What is a hit depends then on what the main actor does, and not on how fast others are.
  package var storesOnMainQueue: Bool {
    get { engine.storesOnMainQueue }
    set { engine.storesOnMainQueue = newValue }
  }

  /// What it has done so far.
  public var statistics: Statistics { engine.statistics }
}

/// Never asked, since a downloader that refuses everything decodes nothing.
private struct NoDecoder: ImageDecoding {
  func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image { throw .notConfigured }
}
