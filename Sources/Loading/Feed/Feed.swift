import FoundationEssentials
public import VitrineConcurrency
public import VitrineGraphics

/// A list of images to show: a folder, an image file, a text file, or a text file on a server.
///
/// ```swift
/// let feed = try Feed("https://signs.example.com/list.txt")
/// feed.onUpdate = { changes in list.apply(changes) { rows = feed.items } }
/// feed.startUpdates(every: 15 * 60)
/// ```
///
/// A folder contains the files with the extensions of images, in natural order ("2" before "10"), then those of its
/// subfolders: up to 100,000 images, 16 levels deep. Hidden files and folders are left out. A file that is replaced or written
/// to under its name is another image as of the next update or `reload()`. A list is UTF-8 text with one image URL
/// per line, optionally followed by a tab and a title; lines that begin with `#` are comments. Relative URLs are
/// resolved against the URL of the list. A list from a server may name only http, https and data URLs.
///
/// A list on a server is loaded by a downloader and kept in its disk cache. The stored list is shown at once, however
/// old it is, while its server is asked; a list with `no-cache`, and an outdated one with `must-revalidate`, is shown
/// then only if `FreshnessRules.ignoresRevalidationOnError` is true. If the server cannot be reached, has no list (404)
/// or sends something else, the shown items and the stored list stay.
///
/// After a failure the list is requested again, after one second at first and at most after a minute, and when the
/// network returns. A server that has no list receives another request after a minute, and so does a server whose
/// certificate or redirect is refused, because a captive portal may have responded in its place. A feed gives up only
/// if another request would fail as well, for example because the response exceeds a limit. No request is sent while
/// the server asks for a pause (`Retry-After`).
@MainActor
public final class Feed {
  /// The state of a feed.
  public enum State: Hashable, Sendable {
    /// The list has not arrived yet.
    case loading
    /// The items are those of the current list, or of a stored list that is still up to date by its headers.
    case loaded
    /// The items are those of an earlier list, for this reason; `nil` while the server is being asked.
    case stale(FeedError?)
    /// There are no items for this reason; the list is requested again.
    case waiting(FeedError)
    /// There are no items for this reason, and the list is not requested again.
    case failed(FeedError)
  }

  /// The change that a feed reports.
  public enum Change: Hashable, Sendable {
    /// The items have changed.
    case items
    /// The state has changed.
    case state
  }

  private enum Source: Sendable {
    case local(String)
    case network(URL)
    /// Items of the application, which do not change.
    case application
  }

  /// The maximum length in bytes of a first list that is parsed on the main actor, which takes a millisecond. The images
  /// of a short stored list can then be requested before the first frame.
  static let shortList = 64 << 10

  /// The location of the feed, without secrets.
  public let name: String
  /// The images; empty until a list from a server has arrived.
  public private(set) var items: Items
  /// The state: `loaded` for a folder or file, and `loading` for a list on a server, which `reload()` requests.
  public private(set) var state: State { didSet { if state != oldValue { onChange?(.state) } } }
  /// Called after each change of the items or of the state. Capture the feed weakly.
  public var onChange: ((Change) -> Void)?
  /// Called when the items have changed, before `onChange`, with the difference by URL from the items before. Capture
  /// the feed weakly.
  ///
  /// The difference from items that are shown is found on another thread. It may be empty, if only titles have changed.
  public var onUpdate: ((ListChanges) -> Void)?
  /// Called when a load has ended, also if neither the items nor the state have changed. Capture the feed weakly.
  package var onFinish: (() -> Void)?
  /// True while the list is being read or requested.
  public private(set) var isLoading = false

  private let source: Source
  /// Returns the downloader for the next request.
  private let currentDownloader: () -> ImageDownloader
  private let ownClock: (any LoadingClock)?
  private let random: () -> Double
  private var schedule = FeedSchedule()
  private let timer = FeedTimer()
  /// True if the timer is set because of a failure.
  private var isRetryScheduled = false
  /// True if the list is loaded once more after the load that is under way.
  private var isReloadPending = false
  /// The request to the server.
  private var task: ImageTask?
  /// The lookup of the stored list.
  private var lookup: ImageTask?
  /// The failure of the server while the disk has not responded yet.
  private var failure: ImageError?
  /// True once the load that is under way has requested the list from the server.
  private var asksServer = false
  /// Generation counter, incremented by each load. Results of earlier ones are dropped.
  private var generation = 0
  private var observation: (any Cancellable)?
  /// The bytes from which `items` were parsed.
  private var bytes: [UInt8] = []
  /// The URL of the list after redirects, against which the relative URLs of `items` are resolved.
  private var base: URL?
  /// The age of the shown list at a time of the clock.
  private var knownAge: (seconds: Double, time: Int64)?
  /// The state of the list on this machine when it was last read.
  private var stamp: FileStamp?

  /// Creates a feed. Reads a folder with its subfolders, or a file, before it returns, and throws if it cannot be used;
  /// requests nothing. O(files in the folders).
  ///
  /// - Parameters:
  ///   - location: The path of a folder, an image file or a text file, or the http(s) URL of a list.
  ///   - downloader: The downloader for a list on a server; `nil`, the default, uses `ImageDownloader.shared` at the
  ///     time of each request.
  ///   - clock: The clock that times retries and updates; `nil`, the default, uses the clock of the downloader.
  public convenience init(
    _ location: String, downloader: ImageDownloader? = nil, clock: (any LoadingClock)? = nil
  ) throws(FeedError) {
    try self.init(
      location, downloader: { downloader ?? .shared }, clock: clock, random: { Double.random(in: 0...1) })
  }

  /// Creates a feed of the application's own items.
  public init(name: String, items: Items) {
    self.name = name
    self.items = items
    state = .loaded
    source = .application
    currentDownloader = { .shared }
    ownClock = nil
    random = { 0 }
  }

  /// - Parameters:
  ///   - downloader: Returns the downloader for the next request.
  ///   - random: Returns the jitter of a retry or an update, from 0 to 1.
  init(
    _ location: String, downloader: @escaping () -> ImageDownloader, clock: (any LoadingClock)? = nil,
    random: @escaping () -> Double
  ) throws(FeedError) {
    currentDownloader = downloader
    ownClock = clock
    self.random = random
    guard ["http://", "https://"].contains(where: location.lowercased().hasPrefix) else {
      let list = try LocalList(path: location)
      items = list.items
      stamp = list.stamp
      name = location
      source = .local(location)
      state = .loaded
      return
    }
    guard let url = URL(string: location), url.host()?.isEmpty == false else {
      throw .invalidURL(location.withoutSecrets)
    }
    items = Items([])
    name = location.withoutSecrets
    source = .network(url)
    state = .loading
  }

  deinit {
    task?.cancel()
    lookup?.cancel()
  }

  private var clock: any LoadingClock { ownClock ?? currentDownloader().engine.clock }

  /// The number of seconds since the server last confirmed the shown list; `nil` if unknown, and for a feed that does
  /// not come from a server.
  public var age: Double? {
    knownAge.map {
      $0.seconds + max(0, Double(clock.now.subtractingReportingOverflow($0.time).partialValue) / 1e9)
    }
  }

  // MARK: Loading

  /// Reads or requests the list again, also before a scheduled retry or update. A list that is being loaded is loaded
  /// once more afterwards, because it may have changed meanwhile.
  public func reload() {
    guard !isLoading else {
      isReloadPending = true
      return
    }
    load(onlyIfChanged: false)
  }

  /// Loads the list again at an interval, until `stopUpdates()` is called or the feed is released. Requests a list on a
  /// server now if that has not been done.
  ///
  /// The interval varies by ten percent in both directions, so that a fleet of devices does not send its requests at
  /// the same time. A server that states a longer lifetime of its list (`max-age`, `Expires`) is not asked earlier,
  /// except after a day. A list on this machine is read again only if it has changed. Of a folder, the names and the
  /// states of the files are read. Items of the application do not change.
  ///
  /// - Parameter seconds: The interval in seconds, at least 1. With 0, a negative number or NaN, there are no updates.
  public func startUpdates(every seconds: Double) {
    schedule.setInterval(seconds)
    if case .application = source { return }
    guard !isLoading, !isRetryScheduled else { return }
    if state == .loading { return reload() }
    setTimer(FeedSchedule.Next(seconds: schedule.update(random())))
  }

  /// Ends the updates. Failures are still retried.
  public func stopUpdates() {
    schedule.setInterval(nil)
    // While a list is being loaded, the timer belongs to the lookup.
    if !isRetryScheduled, !isLoading { timer.cancel() }
  }

  private func load(onlyIfChanged: Bool) {
    isRetryScheduled = false
    timer.cancel()
    generation += 1
    switch source {
    case .application: break
    case .local(let path): read(path, changedSince: onlyIfChanged ? stamp : nil)
    case .network(let url):
      // The stored list is shown first.
      let mayBeStored = items.isEmpty && currentDownloader().dataCache != nil
      mayBeStored ? lookUp(url) : request(url)
    }
  }

  private func setTimer(_ next: FeedSchedule.Next) {
    guard let seconds = next.seconds else { return timer.cancel() }
    isRetryScheduled = next.isRetry
    timer.set(after: seconds, on: clock) { [weak self] in
      guard let self, !isLoading else { return }
      load(onlyIfChanged: true)
    }
  }

  /// Ends a load: sets the state and the time of the next load.
  private func finish(_ new: State, _ next: FeedSchedule.Next) {
    let reloads = isReloadPending
    (isLoading, isReloadPending) = (false, false)
    setTimer(next)
    state = new
    // A handler may have started a load.
    if reloads, !isLoading { load(onlyIfChanged: false) }
    if !isLoading { onFinish?() }
  }

  private func show(_ update: FeedUpdate) {
    items = update.items
    onUpdate?(update.changes)
    onChange?(.items)
  }

  // MARK: Folders and files

  private func read(_ path: String, changedSince stamp: FileStamp?) {
    isLoading = true
    let generation = generation
    Task { [weak self, items] in
      let result = await LocalList.read(path, changedSince: stamp, after: items)
      guard let self, generation == self.generation else { return }
      let next = FeedSchedule.Next(seconds: schedule.update(random()))
      switch result {
      case .success(let new):
        if let new { self.stamp = new.list.stamp }
        if let update = new?.update { show(update) }
        finish(.loaded, next)
      case .failure(let error):
        // The file is read again when it is back, even if it is unchanged.
        self.stamp = nil
        finish(.stale(error), next)
      }
    }
  }

  // MARK: Lists on a server

  /// Shows the stored list and then requests the list from the server, or does so before if the disk is late.
  private func lookUp(_ url: URL) {
    (isLoading, asksServer, failure) = (true, false, nil)
    let generation = generation
    lookup = currentDownloader().load(
      Self.listRequest(url, .cacheOnly, name: name),
      completion: { [weak self] result in
        guard let self, generation == self.generation else { return }
        lookup = nil
        found(result, url)
      })
    timer.set(after: LookupLine.deadline, on: clock) { [weak self] in
      if let self, generation == self.generation { requestOnce(url) }
    }
  }

  private func found(_ result: Result<ImageResponse, ImageError>, _ url: URL) {
    guard case .success(let response) = result else { return requestOnce(url) }
    let list = list(in: response, of: url)
    guard list.mayBeShownAtOnce else { return requestOnce(url) }
    let generation = generation
    receive(list, generation) { feed, error in
      if error == nil { feed.state = list.isStale ? .stale(nil) : .loaded }
      // A handler may have started another load.
      if generation == feed.generation { feed.requestOnce(url) }
    }
  }

  /// Requests the list from the server, unless it was requested because the disk was late. Ends the load if the server
  /// has failed meanwhile.
  private func requestOnce(_ url: URL) {
    if let error = failure.take() { return fail(error, url) }
    guard !asksServer else { return }
    timer.cancel()
    request(url)
  }

  private func request(_ url: URL) {
    (isLoading, asksServer) = (true, true)
    // The shared downloader may have been replaced since the last request.
    observation = currentDownloader().observeConnectivity { [weak self] in self?.connectivityDidChange() }
    let generation = generation
    task = currentDownloader().load(
      Self.listRequest(url, .refresh, name: name),
      completion: { [weak self] result in
        guard let self, generation == self.generation else { return }
        task = nil
        answered(result, url)
      })
  }

  private func answered(_ result: Result<ImageResponse, ImageError>, _ url: URL) {
    switch result {
    case .success(let response):
      // A stored list that has not been shown is dropped: that of the server is at least as new.
      lookup?.cancel()
      lookup = nil
      generation += 1
      let list = list(in: response, of: url)
      receive(list, generation) { feed, error in
        if let error { feed.fail(.invalidData("\(error)"), url) } else { feed.succeed(with: list, url) }
      }
    case .failure(let error):
      if lookup == nil { fail(error, url) } else { failure = error }
    }
  }

  /// Returns a request for the bytes of the list.
  private static func listRequest(
    _ url: URL, _ policy: ImageRequest.CachePolicy, name: String
  ) -> ImageRequest {
    var request = ImageRequest(url: url, headers: ["Accept": "text/plain, */*;q=0.8"], cachePolicy: policy)
    request.decodes = false
    // The items on a screen stay after a 404, and a restart must not lose them.
    request.keepsStoredResponse = true
    // The validator keeps other content from replacing the list on disk.
    request.validator = DataValidator("feed list") { bytes in
      _ = try FeedReader.list(bytes, name: name, base: url)
    }
    return request
  }

  private func list(in response: ImageResponse, of url: URL) -> FeedResponse {
    let configuration = currentDownloader().engine.configuration
    return FeedResponse(
      response, of: url, at: configuration.environment.wallClock(), rules: configuration.freshness)
  }

  /// Requests the list at once if a retry is scheduled, or if the running request has not received anything yet.
  private func connectivityDidChange() {
    let isUnresponsive = asksServer && task.map { $0.progress.received == 0 } ?? false
    guard isRetryScheduled || isUnresponsive else { return }
    task?.cancel()
    lookup?.cancel()
    (task, lookup) = (nil, nil)
    (isLoading, isReloadPending) = (false, false)
    schedule.restart()
    load(onlyIfChanged: false)
  }

  /// Shows a list. Parses a long list off the main actor, and a list that is to be compared with shown items, because
  /// the URLs of moved rows are slow to compare.
  ///
  /// - Parameter finish: Called in the end, with the error of a list that cannot be shown, unless another load was
  ///   started.
  private func receive(
    _ list: FeedResponse, _ generation: Int, then finish: @escaping (Feed, FeedError?) -> Void
  ) {
    // The same list at another URL names other images by its relative URLs.
    guard list.bytes != bytes || list.base != base || bytes.isEmpty else {
      note(list)
      return finish(self, nil)
    }
    if items.isEmpty, list.bytes.count <= Self.shortList {
      let result = Result { () throws(FeedError) in try list.update(of: items, name: name) }
      return take(result, of: list, generation, then: finish)
    }
    Task { [weak self, name, items] in
      let result = await Self.update(of: items, by: list, name: name)
      guard let self, generation == self.generation else { return }
      take(result, of: list, generation, then: finish)
    }
  }

  @concurrent private nonisolated static func update(
    of items: Items, by list: FeedResponse, name: String
  ) async -> Result<FeedUpdate?, FeedError> {
    Result { () throws(FeedError) in try list.update(of: items, name: name) }
  }

  private func take(
    _ result: Result<FeedUpdate?, FeedError>, of list: FeedResponse, _ generation: Int,
    then finish: (Feed, FeedError?) -> Void
  ) {
    switch result {
    case .success(let update):
      (bytes, base) = (list.bytes, list.base)
      note(list)
      if let update { show(update) }
      if generation == self.generation { finish(self, nil) }
    case .failure(let error): finish(self, error)
    }
  }

  private func note(_ list: FeedResponse) { knownAge = list.age.map { ($0, clock.now) } }

  private func succeed(with list: FeedResponse, _ url: URL) {
    let next = schedule.next(
      after: list.isStale ? .stale : .fresh, lifetime: list.lifetime, pause: pause(of: url), random: random())
    finish(list.isStale ? .stale(list.reason.map { .notLoaded(name, $0) }) : .loaded, next)
  }

  private func fail(_ error: ImageError, _ url: URL) {
    var next = schedule.next(after: .failed(error), pause: pause(of: url), random: random())
    let error = FeedError.notLoaded(name, error)
    // A list that is already shown stays.
    guard items.isEmpty else { return finish(.stale(error), next) }
    if next.isGivenUp { next.seconds = nil }
    finish(next.isGivenUp ? .failed(error) : .waiting(error), next)
  }

  /// Returns the number of seconds for which the server has asked for no requests.
  private func pause(of url: URL) -> Double { currentDownloader().engine.recovery.pause(of: .init(url)) }
}
