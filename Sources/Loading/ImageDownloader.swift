public import FoundationEssentials
import Synchronization
public import VitrineConcurrency
public import VitrineGraphics

/// Loads images: looks them up in memory and on disk, joins running loads, downloads, decodes and transforms.
///
/// ```swift
/// let response = try await ImageDownloader.shared.image(for: "https://example.com/cover.jpg")
/// show(response.image)
/// ```
///
/// May be used from any thread. Each caller receives one result. Completions are called on the main actor, never within
/// the call that started the load, and callers that wait for the same image receive it in the order of their calls.
/// When a downloader is released, its loads are cancelled and their callers receive `.cancelled`.
public final class ImageDownloader: Sendable {
  private static let sharedBox = Mutex<ImageDownloader?>(nil)
  private static let unconfigured = ImageDownloader(
    engine: LoadEngine(configuration: .init(), transports: [], decoder: NoDecoder(), cache: nil),
    cache: nil, refusal: .notConfigured)

  /// The downloader of the process, set by `Application` or `Vitrine.bootstrap()`. Before that, loads fail with
  /// `.notConfigured`.
  public package(set) static var shared: ImageDownloader {
    get { sharedBox.withLock { $0 } ?? unconfigured }
    set { sharedBox.replaceValue(with: newValue) }
  }

  /// The shared downloader; `nil` until it is set.
  package static var configured: ImageDownloader? { sharedBox.withLock { $0 } }

  /// The ledger that counts the memory of the loads and keeps the sum within a budget.
  public var ledger: MemoryLedger { engine.ledger }
  /// The memory cache; `nil` if the downloader has none.
  public let cache: (any ImageRequestCache)?
  /// The disk cache of response bytes; `nil` if the downloader has none.
  public var dataCache: (any ImageDataCache)? { engine.dataCache }
  /// The disk cache of decoded pixels; `nil` if the downloader has none.
  public var pixelCache: (any ImagePixelCache)? { engine.pixelCache }
  let engine: LoadEngine
  /// The error with which every load fails; `nil` except for the downloader that stands in until `shared` is set.
  let refusal: ImageError?
  /// The changes that the configuration makes to requests; `nil` if it makes none.
  private let additions: RequestAdditions?
  /// Passes memory pressure on to a cache that does not register with the ledger itself.
  private let cachePressure: CachePressure?

  /// Creates a downloader that shares no queue and no loads with other downloaders.
  ///
  /// - Parameters:
  ///   - configuration: The settings that apply to all loads.
  ///   - transports: The transports; the first transport that serves the scheme of a URL fetches the URL.
  ///   - decoder: The decoder, called on the downloader's own threads, several at a time.
  ///   - cache: The memory cache; `nil` for none, and a new `MemoryImageCache` by default.
  ///   - dataCache: The disk cache of response bytes; `nil`, the default, for none.
  ///   - pixelCache: The disk cache of decoded pixels, which needs a `dataCache`; `nil`, the default, for none.
  public convenience init(
    configuration: Configuration = .init(), transports: [any DataTransport], decoder: any ImageDecoding,
    cache: (any ImageRequestCache)? = MemoryImageCache(), dataCache: (any ImageDataCache)? = nil,
    pixelCache: (any ImagePixelCache)? = nil
  ) {
    if let ledger = configuration.memory.ledger { (cache as? any MemoryHolder)?.count(against: ledger) }
    self.init(
      engine: LoadEngine(
        configuration: configuration, transports: transports, decoder: decoder, cache: cache,
        dataCache: dataCache, pixelCache: pixelCache),
      cache: cache, refusal: nil, additions: RequestAdditions(configuration.requests))
  }

  private init(
    engine: LoadEngine, cache: (any ImageRequestCache)?, refusal: ImageError?,
    additions: RequestAdditions? = nil
  ) {
    self.engine = engine
    self.cache = cache
    self.refusal = refusal
    self.additions = additions
    cachePressure = cache.flatMap { $0 is any MemoryHolder ? nil : CachePressure($0) }
    cachePressure?.count(against: engine.ledger)
    ParsedTexts.shared.count(against: engine.ledger)
  }

  deinit {
    engine.cancelAll()
    engine.liveStreams.forEach { $0.fail(.cancelled) }
  }

  // MARK: Loading

  /// Loads an image. Cancelling the Swift task cancels the load, which then throws `.cancelled`.
  public func image(
    for source: some ImageRequestConvertible, additionalIdentifier: String? = nil
  ) async throws(ImageError) -> ImageResponse {
    let request = completedWithoutSlot(try source.asImageRequest())
    if Task.isCancelled { throw .cancelledLoad(.init(url: request.url)) }
    let task = ImageTask(request, additionalIdentifier: additionalIdentifier)
    begin(task)
    return try await task.response
  }

  /// Loads an image and calls `completion` once, on the main actor and after this call has returned, even for an image
  /// in memory.
  ///
  /// `progress` is called on the main actor before the completion, not for each chunk of bytes. `preview` is
  /// called on the main actor with the previews of a `progressive` request while the image comes from the network: each
  /// preview shows more than the one before, and none follows the completion or a cancellation.
  ///
  /// Without a `targetSize`, only a full-size image in memory is a cache hit; a smaller variant is a hit only for
  /// `CachePolicy.cacheOnly`. A text that is not an absolute URL fails with `.invalidURL`.
  ///
  /// - Returns: The task of this caller's load.
  @discardableResult
  public func load(
    _ source: some ImageRequestConvertible, additionalIdentifier: String? = nil,
    completion: ImageTask.Completion? = nil, progress: ImageTask.ProgressHandler? = nil,
    preview: ImageTask.PreviewHandler? = nil
  ) -> ImageTask {
    do throws(ImageError) {
      return load(
        try source.asImageRequest(), additionalIdentifier: additionalIdentifier, completion: completion,
        progress: progress, preview: preview)
    } catch {
      let task = ImageTask(
        .invalid(error), additionalIdentifier: additionalIdentifier, completion: completion)
      engine.count(.failure(error))
      task.settle(.failure(error))
      return task
    }
  }

  /// Loads the image of a request, for callers that have one already.
  ///
  /// - Parameters:
  ///   - isForSlot: True for a load whose image is shown on the screen and repainted when a newer one arrives: such a
  ///     load does not wait for the server if there is a stale stored response.
  ///   - isAwaited: True for a load of a slot without which the screen is empty: `waitForStoredImages(upTo:)` waits for
  ///     its decode as well.
  @discardableResult
  package func load(
    _ request: ImageRequest, additionalIdentifier: String? = nil, isForSlot: Bool = false,
    isAwaited: Bool = false, completion: ImageTask.Completion? = nil,
    progress: ImageTask.ProgressHandler? = nil,
    preview: ImageTask.PreviewHandler? = nil
  ) -> ImageTask {
    let task = ImageTask(
      completed(request), additionalIdentifier: additionalIdentifier,
      purpose: isForSlot ? isAwaited ? .awaitedSlot : .slot : .application, progress: progress,
      preview: preview, completion: completion)
    begin(task)
    return task
  }

  /// Loads the stored image of a request, for a slot that shows it while another load refreshes the image. Never asks
  /// the server, and fails with `.notCached` if the stored response may not be shown without its server. Returns `nil`
  /// if the request uses no disk cache.
  ///
  /// - Parameter preview: Receives the first frame of an animation, or a smaller variant, until the image is decoded.
  package func loadStoredImage(
    _ request: ImageRequest, additionalIdentifier: String?, preview: ImageTask.PreviewHandler? = nil,
    completion: @escaping ImageTask.Completion
  ) -> ImageTask? {
    var request = completedWithoutSlot(request)
    guard dataCache != nil, request.cache.usesDisk, !request.isLocal, request.decodes else { return nil }
    request.cachePolicy = .cacheOnly
    let task = ImageTask(
      request, additionalIdentifier: additionalIdentifier, purpose: .storedImage, preview: preview,
      completion: completion)
    begin(task)
    return task
  }

  /// Sends a request once, without retries and without a stale response as a fallback, for a slot that already shows an
  /// image. `completion` is called like that of `load`.
  ///
  /// - Parameter isNeeded: Returns false if the request need not be sent, because another one has asked the server.
  ///   Called again if the server has responded to another request since the last call.
  /// - Returns: The task; `nil` if the request is not needed.
  package func probe(
    _ request: ImageRequest, additionalIdentifier: String?, whileNeeded isNeeded: () -> Bool,
    completion: @escaping ImageTask.Completion
  ) -> ImageTask? {
    let task = ImageTask(
      completedWithoutSlot(request), additionalIdentifier: additionalIdentifier, purpose: .probe,
      completion: completion)
    var wasNeeded = true
    begin(task) {
      wasNeeded = isNeeded()
      return wasNeeded
    }
    return wasNeeded ? task : nil
  }

  /// The component that retries failed requests for slots on the screen.
  package var recovery: Recovery { engine.recovery }

  /// Returns the age of an image in memory that may be out of date, and the reason; nil for an image that is not known to
  /// be stale. The reason is nil while the server is being asked. Costs one atomic load while no image is stale.
  package func staleness(of image: Image) -> Staleness? { engine.staleImages.staleness(of: image) }

  /// Returns the age of an image in memory that may be out of date, and the reason, like `staleness(of:)`; or the age of an
  /// image that is past its lifetime and serves `request` because the downloader is offline.
  package func staleness(of image: Image, for request: ImageRequest) -> Staleness? {
    freshnessInMemory(of: image, for: request).staleness
  }

  /// Loads an image and returns a receipt for the load (AFNetworking's `downloadImageForURLRequest`). Returns `nil` if
  /// the outcome is known at once, for example because the URL is missing or invalid, the image is in memory, or its
  /// failure is remembered. One of the two closures is called once, on the main actor, after this call has returned.
  @discardableResult
  public func download(
    _ source: (any ImageRequestConvertible)?, receiptID: UUID = UUID(),
    success: (@MainActor (ImageResponse) -> Void)? = nil, failure: (@MainActor (ImageError) -> Void)? = nil
  ) -> DownloadReceipt? {
    let request: ImageRequest
    do throws(ImageError) {
      guard let source else { throw ImageError.invalidURL("") }
      request = try source.asImageRequest()
    } catch {
      if let failure { MainActorQueue.main.post { failure(error) } }
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

  /// Cancels the load of a receipt; see `ImageTask.cancel()`.
  public func cancel(_ receipt: DownloadReceipt) { receipt.task.cancel() }

  /// Starts the load of a task, if it is needed. Returns false if the outcome was known at once; the task then has the
  /// outcome.
  ///
  /// - Parameter isNeeded: Returns false if the load need not start: the task then never has an outcome. Called before
  ///   each lookup in memory.
  @discardableResult
  func begin(_ task: ImageTask, whileNeeded isNeeded: () -> Bool = { true }) -> Bool {
    guard let outcome = outcomeWithoutLoading(task, whileNeeded: isNeeded) else { return true }
    if task.purpose != .storedImage { engine.count(outcome) }
    task.settle(outcome)
    return false
  }

  /// Starts the load if it is needed and returns `nil`, or returns the outcome of a request that needs no load.
  private func outcomeWithoutLoading(
    _ task: ImageTask, whileNeeded isNeeded: () -> Bool
  ) -> Result<ImageResponse, ImageError>? {
    if let refusal { return .failure(refusal) }
    if engine.isShutDown { return .failure(.shutDown) }
    let request = task.request
    let began = trace.isEnabled ? trace.now : 0
    var storeCount: Int
    repeat {
      storeCount = engine.storeCount
      if !isNeeded() { return nil }
      if let (image, freshness) = hit(request, task.additionalIdentifier) {
        trace.recordServed(url: request.identity.url, image: image.number)
        return .success(ImageResponse(image: image, source: .memory, freshness: freshness))
      }
      if !engine.readsDisk(for: request) {
        if request.cachePolicy == .cacheOnly { return refuse(task, .notCached, began) }
        if let error = engine.rememberedFailure(of: request) { return refuse(task, error, began) }
      }
      // A request that only the cache serves may have a URL that no transport serves.
      if request.cachePolicy != .cacheOnly || request.url.scheme == nil || request.isLocal {
        do { _ = try engine.transports.transport(for: request.url) } catch {
          return refuse(task, error, began)
        }
      }
      // The loop repeats the lookup if a load has stored an image in the meantime: otherwise the same load would be
      // made twice.
    } while !engine.start(
      task, unlessStoredSince: storeCount,
      lookup: LookupNotes(began: began, memory: missReason(request, task.additionalIdentifier)))
    return nil
  }

  /// Returns the freshness of an image in memory that serves `request`.
  package func freshness(of image: Image, for request: ImageRequest) -> ImageResponse.Freshness {
    freshnessInMemory(of: image, for: request).freshness
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
    guard trace.isEnabled, let cache = request.cache(default: cache) else { return .noCache }
    if request.cachePolicy == .reload || request.cachePolicy == .refresh { return .bypassed }
    // An application's own cache keeps no record of what it has evicted.
    guard let cache = cache as? MemoryImageCache else { return .absent }
    let known = cache.largestVariant(for: request, additionalIdentifier: additionalIdentifier)
    if let known, freshnessInMemory(of: known, for: request).isExpired { return .expired }
    return cache.missReason(for: request, additionalIdentifier: additionalIdentifier)
  }

  private var trace: Trace { engine.trace }

  /// Records in the trace that a view shows an image that `cachedImage` has returned.
  package func traceServed(_ request: ImageRequest, _ image: Image) {
    trace.recordServed(url: completed(request).identity.url, image: image.number)
  }

  private func hit(
    _ request: ImageRequest, _ additionalIdentifier: String?
  ) -> (image: Image, freshness: ImageResponse.Freshness)? {
    guard request.cachePolicy != .reload, request.cachePolicy != .refresh,
      let image = request.cache(default: cache)?.image(
        for: request, additionalIdentifier: additionalIdentifier),
      request.targetSize != nil || request.hasAllPixels(image) || request.cachePolicy == .cacheOnly
    else { return nil }
    let state = freshnessInMemory(of: image, for: request)
    guard request.cachePolicy == .cacheOnly || !state.isToBeRequested, !state.isExpired else { return nil }
    return (request.delivered(image), state.freshness)
  }

  /// True for an image in memory that must not be shown before its server has confirmed it, not even while the server is
  /// being asked: its response has `must-revalidate` or `no-cache`, and is past its lifetime.
  package func isToBeConfirmed(_ image: Image, for request: ImageRequest) -> Bool {
    image.requiresRevalidation && request.cachePolicy != .cacheOnly && request.cache.usesDisk
      && dataCache != nil && image.expiry <= engine.clock.now
  }

  /// Returns the request with the changes of the configuration, the digests of the transport's credentials, and the
  /// headers that servers have named in `Vary`.
  func completed(_ request: ImageRequest) -> ImageRequest {
    var request = additions?.completing(request) ?? request
    if engine.transports.addsCredentials {
      request.identity = request.identity.sentWith(engine.transports.credentials(for: request))
    }
    if request.identity.hasOtherHeaders { request.identity = engine.counted(request.identity) }
    return request
  }

  /// Returns the completed request without previews, for a caller that shows none.
  func completedWithoutSlot(_ request: ImageRequest) -> ImageRequest {
    var request = completed(request)
    if request.progressive != .none { request.progressive = .none }
    return request
  }

  // MARK: Memory

  /// Returns the image from memory, without waiting; `nil` for a cache miss. Slots call this method before they show a
  /// placeholder. Without a `targetSize`, the largest variant in memory is returned. Returns `nil` for
  /// `CachePolicy.reload`, and for a text that is not an absolute URL.
  ///
  /// The image may be past its lifetime, so that a load would not be served by it; see `FreshnessRules.staleInMemory`.
  public func cachedImage(
    for source: some ImageRequestConvertible, additionalIdentifier: String? = nil
  ) -> Image? {
    guard let request = try? source.asImageRequest() else { return nil }
    return cachedImage(for: request, additionalIdentifier: additionalIdentifier)
  }

  /// Returns the image of a request from memory, for callers that have a request already.
  package func cachedImage(for request: ImageRequest, additionalIdentifier: String? = nil) -> Image? {
    guard request.cachePolicy != .reload else { return nil }
    // Avoids a copy of the request, because every memory hit comes through here.
    if additions == nil, !request.identity.hasOtherHeaders, !engine.transports.addsCredentials {
      return cachedImage(forCompleted: request, additionalIdentifier)
    }
    return cachedImage(forCompleted: completed(request), additionalIdentifier)
  }

  @inline(__always)
  private func cachedImage(forCompleted request: ImageRequest, _ additionalIdentifier: String?) -> Image? {
    let cache = request.cache(default: cache)
    guard let image = cache?.image(for: request, additionalIdentifier: additionalIdentifier) else {
      return nil
    }
    return request.delivered(image)
  }

  /// Returns the largest variant of an image in memory, of any size; `nil` if there is none, for a request that ignores
  /// caches, and for a cache of the application's own type.
  package func largestVariant(of request: ImageRequest, additionalIdentifier: String? = nil) -> Image? {
    guard request.cachePolicy != .reload else { return nil }
    let cache = request.cache(default: cache) as? MemoryImageCache
    return cache?.largestVariant(for: completed(request), additionalIdentifier: additionalIdentifier)
      .map(request.delivered)
  }

  /// Removes all sizes of an image from memory. Returns true if there was an image.
  @discardableResult
  public func removeCachedImage(
    for source: some ImageRequestConvertible, additionalIdentifier: String? = nil
  ) -> Bool {
    guard let request = try? source.asImageRequest() else { return false }
    return request.cache(default: cache)?
      .removeImage(for: completed(request), additionalIdentifier: additionalIdentifier) ?? false
  }

  /// Removes all images from memory. Returns true if there was an image.
  @discardableResult
  public func removeAllCachedImages() -> Bool { cache?.removeAllImages() ?? false }

  // MARK: Disk

  /// Removes the stored response of a source from disk; memory is unaffected. Loads that begin after this call do not
  /// find the response. `completion` is called on the main actor with true if there was a response.
  public func removeCachedData(
    for source: some ImageRequestConvertible, completion: (@MainActor (Bool) -> Void)?
  ) {
    guard let request = try? source.asImageRequest() else { return ImageCache.report(false, to: completion) }
    engine.diskWriter.remove(completed(request).identity.withoutVarying) {
      ImageCache.report($0, to: completion)
    }
  }

  /// Removes the stored response of a source from disk and returns true if there was one; memory is unaffected.
  @discardableResult
  public func removeCachedData(for source: some ImageRequestConvertible) async -> Bool {
    await withCheckedContinuation { done in
      removeCachedData(for: source) { done.resume(returning: $0) }
    }
  }

  /// Removes all stored responses from disk, including those of other programs that share the cache; memory is
  /// unaffected. Loads that begin after this call find nothing. `completion` is called on the main actor with true if
  /// there was a response.
  public func removeAllCachedData(completion: (@MainActor (Bool) -> Void)?) {
    engine.diskWriter.removeAll { ImageCache.report($0, to: completion) }
  }

  /// Removes all stored responses from disk and returns true if there was one; see `removeAllCachedData(completion:)`.
  @discardableResult
  public func removeAllCachedData() async -> Bool {
    await withCheckedContinuation { done in
      removeAllCachedData { done.resume(returning: $0) }
    }
  }

  /// Blocks until the responses loaded so far, and the bytes of downloads that have not ended, are written to disk, but
  /// no longer than a number of seconds. Called at the end of a program, which would lose both.
  package func finishWriting(within seconds: Double) { engine.finishWriting(within: seconds) }

  /// Returns when the pixels of the images loaded so far are written to the pixel cache, or could not be.
  package func waitForPixels() async { await engine.waitForPixels() }

  /// The number of images whose pixels were not stored although they are worth it: pixels that are decoded faster than
  /// read do not count, and neither do those whose response is not on disk.
  package var lostPixelCount: Int { engine.lostPixelCount }

  /// Blocks the calling thread until the disk lookups that wait or run have ended and their images have been posted to
  /// the main queue, but no longer than a number of seconds of real time. Does not wait for late lookups, for the
  /// network, or for decodes other than those of awaited loads. Returns at once if there is nothing to wait for.
  package func waitForStoredImages(upTo seconds: Double) { engine.waitForStoredImages(upTo: seconds) }

  /// Makes `waitForStoredImages(upTo:)` wait until `endPreparation()` is called, for an image that has been delivered
  /// and is prepared on another thread, as a slide is. Each call needs a call of `endPreparation()`.
  package func beginPreparation() { engine.expectPreparation() }

  /// Ends what a call of `beginPreparation()` has begun. Called on any thread, once the prepared image has been posted
  /// to the main queue.
  package func endPreparation() { engine.endPreparation() }

  /// Returns true if the disk has a response for the source, fresh or stale.
  public func containsCachedData(for source: some ImageRequestConvertible) async -> Bool {
    guard let request = try? source.asImageRequest() else { return false }
    return await engine.diskWriter.contains(completed(request).identity.withoutVarying)
  }

  /// False while a disk lookup that has exceeded its deadline is under way.
  var isDiskResponding: Bool { engine.isDiskResponding }

  // MARK: Failures

  /// Forgets the failure of a source, so that its request is sent again. Returns true if a failure was remembered. See
  /// `Configuration.failureMemory`.
  @discardableResult
  public func removeFailure(for source: some ImageRequestConvertible) -> Bool {
    guard let request = try? source.asImageRequest() else { return false }
    return engine.removeFailure(of: completed(request))
  }

  /// Forgets all failures. Returns true if any failure was remembered.
  @discardableResult
  public func removeAllFailures() -> Bool { engine.removeAllFailures() }

  // MARK: While running

  /// The transports; the first transport that serves the scheme of a URL fetches the URL. A change applies to loads
  /// that start after it (SDWebImage's loaders manager).
  public var transports: [any DataTransport] {
    get { engine.transports.all }
    set { engine.transports.all = newValue }
  }

  /// The maximum number of concurrent network transfers. A higher limit starts waiting downloads at once; a lower limit
  /// stops no running transfer.
  public var maximumActiveDownloads: Int {
    get { engine.queue.maximumActive }
    set { engine.changeQueue { $0.maximumActive = newValue } }
  }

  /// The maximum number of concurrent network transfers to one server; a change takes effect like a change of
  /// `maximumActiveDownloads`.
  public var maximumActiveDownloadsPerHost: Int {
    get { engine.queue.maximumPerHost }
    set { engine.changeQueue { $0.maximumPerHost = newValue } }
  }

  /// The order in which waiting downloads of the same priority start; a change applies to downloads that already wait.
  public var prioritization: Prioritization {
    get { engine.queue.order }
    set { engine.changeQueue { $0.order = newValue } }
  }

  /// True to start no download, no file read and no disk lookup; false by default. Waiting loads keep waiting, running
  /// transfers finish, and images in memory are still served.
  public var isSuspended: Bool {
    get { engine.queue.isSuspended }
    set { engine.changeQueue { $0.isSuspended = newValue } }
  }

  /// True to send no request over the network; false by default. Files and data URLs are read as usual.
  ///
  /// While the downloader is offline, stored images are shown however stale they are, except responses with
  /// `must-revalidate` or `no-cache` (see `FreshnessRules.ignoresRevalidationOnError`); other loads fail with
  /// `.offline`. Setting the property to true stops running transfers, whose bytes are kept, and ends their loads in the
  /// same way. Setting it to false sends the requests of slots on the screen, of prefetchers and of feeds that have
  /// waited; an application that repeats requests itself is notified by `observeConnectivity`.
  public var isOffline: Bool {
    get { engine.isOffline }
    set { engine.setOffline(newValue) }
  }

  /// The rate limit for downloads that are cancelled before they finish; `nil` disables the limit.
  public var rateLimit: RateLimit? {
    get { engine.queue.rateLimit }
    set { engine.changeQueue { $0.rateLimit = newValue } }
  }

  /// True while a caller waits for an image.
  public var isRunning: Bool { engine.isRunning }

  /// The number of downloads that have started and have not ended, for a display of the queue.
  public var activeDownloadCount: Int { engine.queue.activeCount }

  /// The number of downloads that wait for a free transfer, for a server that has asked for a pause, or for their next
  /// attempt.
  public var waitingDownloadCount: Int { engine.queue.waitingCount }

  /// Cancels all running and waiting loads. Their callers receive `.cancelled` in the order of their calls. Later
  /// requests are loaded as usual.
  public func cancelAll() { engine.cancelAll() }

  /// Returns when no caller waits, every transfer has ended, and no reading, writing, decoding or transforming is under
  /// way, not even for callers that have left. Includes loads that are started in the meantime. Returns at once if
  /// nothing is running. All outcomes are known by then, but completions may still be on their way to the main actor.
  public func drain() async { await engine.waitUntilIdle() }

  /// Ends all work permanently and returns when running work has ended. Later loads fail with `.shutDown`; images in
  /// memory stay there. A second call waits again.
  ///
  /// - Parameter cancelling: True, the default, to cancel running and waiting loads; false to let them finish.
  public func shutDown(cancelling: Bool = true) async {
    engine.shutDown(cancelling: cancelling)
    await engine.waitUntilIdle()
  }

  /// True after `shutDown(cancelling:)` was called.
  public var isShutDown: Bool { engine.isShutDown }

  /// Notifies the downloader that the network has returned or has changed. Requests that wait for a server or for their
  /// next retry are sent now, remembered failures are forgotten, and failed requests of slots on the screen are sent
  /// again. Calls that follow an earlier one within two seconds are combined into one at the end of that time.
  /// The shared downloader is notified automatically; a program calls this method for a downloader of its own.
  public func networkReturned() { engine.networkReturned() }

  /// Notifies the downloader that the system's clock was set. Requests that failed because a certificate had expired or
  /// was not valid yet are sent again for slots on the screen. The shared downloader is notified automatically; a
  /// program calls this method for a downloader of its own.
  public func clockStepped() { engine.clockStepped() }

  /// Calls `handler` on the main actor each time that the network has returned or the system's clock was set, for
  /// requests that the application repeats itself. Slots repeat their requests without it.
  ///
  /// - Returns: An observation that ends when it is cancelled or released.
  public func observeConnectivity(_ handler: @escaping @MainActor @Sendable () -> Void) -> any Cancellable {
    engine.connectivity.add(handler)
  }

  /// True to store loaded images in memory only in turns of the main queue, and only images that a caller still waits
  /// for at that time; false by default. Cache hits then depend only on what the main actor does, and not on the speed
  /// of other threads.
  package var storesOnMainQueue: Bool {
    get { engine.storesOnMainQueue }
    set { engine.storesOnMainQueue = newValue }
  }

  /// The counters of this downloader.
  public var statistics: Statistics { engine.statistics }
}

/// A decoder that is never called, because its downloader refuses all loads.
private struct NoDecoder: ImageDecoding {
  func decode(_ data: [UInt8], options: DecodeOptions) throws(ImageError) -> Image { throw .notConfigured }
}
