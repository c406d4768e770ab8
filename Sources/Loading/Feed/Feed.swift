import FoundationEssentials
import VitrineConcurrency
import VitrineGraphics

/// A list of images to show: a folder, a text file, or a text file on a server.
///
/// ```swift
/// let feed = try Feed("https://signs.example.com/list.txt")
/// feed.onChange = { change in if change == .items { list.reloadData() } }
/// feed.reload()
/// ```
///
/// A folder contains the files with the extensions of images, sorted by name. A list is UTF-8 text with one image URL
/// per line, optionally followed by a tab and a title; lines that begin with `#` are comments. Relative URLs are
/// resolved against the URL of the list. A list from a server may name only http, https and data URLs.
///
/// A list on a server is loaded by a downloader and kept in its disk cache. If the server cannot be reached or sends
/// something else, the stored list is shown, and the list is requested again, after one second at first and at most
/// after a minute, and when the network returns. A server that has no list (404) receives another request after a
/// minute, and so does a server whose certificate or redirect is refused, because a captive portal may have responded
/// in its place. A feed gives up only if another request would fail as well, for example because the response exceeds
/// a limit.
@MainActor
public final class Feed {
  /// The state of a feed.
  public enum State: Hashable, Sendable {
    /// The list has not arrived yet.
    case loading
    /// The items are those of the current list.
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

  /// The location of the feed, without secrets.
  public let name: String
  /// The images; empty until a list from a server has arrived.
  public private(set) var items: Items
  /// The state: `loaded` for a folder or file, and `loading` for a list on a server, which `reload()` requests.
  public private(set) var state: State { didSet { if state != oldValue { onChange?(.state) } } }
  /// Called after each change of the items or of the state. Capture the feed weakly.
  public var onChange: ((Change) -> Void)?
  /// True while the list is being read or requested.
  public private(set) var isLoading = false

  private let source: Source
  /// Returns the downloader for the next request.
  private let currentDownloader: () -> ImageDownloader
  private let random: () -> Double
  private var retry = FeedRetry()
  private var isRetryScheduled = false
  private var task: ImageTask?
  /// Generation counter, incremented by each request and each scheduled retry. Results of earlier ones are dropped.
  private var generation = 0
  private var observation: (any Cancellable)?
  /// The bytes from which `items` were parsed.
  private var bytes: [UInt8] = []
  /// The URL of the list after redirects, against which the relative URLs of `items` are resolved.
  private var base: URL?

  /// Creates a feed. Reads a folder or a file at once and throws if it cannot be used; requests nothing.
  ///
  /// - Parameters:
  ///   - location: The path of a folder or text file, or the http(s) URL of a list.
  ///   - downloader: The downloader for a list on a server; `nil`, the default, uses `ImageDownloader.shared` at the
  ///     time of each request.
  public convenience init(_ location: String, downloader: ImageDownloader? = nil) throws(FeedError) {
    try self.init(location, downloader: { downloader ?? .shared }, random: { Double.random(in: 0...1) })
  }

  /// Creates a feed of the application's own items.
  public init(name: String, items: Items) {
    self.name = name
    self.items = items
    state = .loaded
    source = .application
    currentDownloader = { .shared }
    random = { 0 }
  }

  /// - Parameters:
  ///   - downloader: Returns the downloader for the next request.
  ///   - random: Returns the jitter of a retry, from 0 to 1.
  init(
    _ location: String, downloader: @escaping () -> ImageDownloader, random: @escaping () -> Double
  ) throws(FeedError) {
    currentDownloader = downloader
    self.random = random
    guard ["http://", "https://"].contains(where: location.lowercased().hasPrefix) else {
      items = try FeedReader.items(at: location)
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

  deinit { task?.cancel() }

  /// Reads or requests the list again, even if a retry is scheduled. Does nothing if the list is being loaded.
  public func reload() {
    guard !isLoading else { return }
    isRetryScheduled = false
    generation += 1
    switch source {
    case .application: break
    case .local(let path): read(path)
    case .network(let url): request(url)
    }
  }

  // MARK: Folders and files

  private func read(_ path: String) {
    isLoading = true
    Task { [weak self, items] in
      let result = await Self.items(at: path, unlike: items)
      guard let self else { return }
      isLoading = false
      switch result {
      case .success(let new):
        if let new {
          self.items = new
          onChange?(.items)
        }
        state = .loaded
      case .failure(let error): state = .stale(error)
      }
    }
  }

  /// Returns the items at a path; `nil` if they are those that are shown. Reads on a thread of its own, because a disk
  /// that hangs must not block a thread of the concurrency pool.
  private nonisolated static func items(
    at path: String, unlike old: Items
  ) async -> Result<Items?, FeedError> {
    await withCheckedContinuation { continuation in
      BlockingThread.start {
        continuation.resume(
          returning: Result<Items?, FeedError> { () throws(FeedError) in
            let items = try FeedReader.items(at: path)
            return items.elementsEqual(old) ? nil : items
          })
      }
    }
  }

  // MARK: Lists on a server

  private func request(_ url: URL) {
    let downloader = currentDownloader()
    // The shared downloader may have been replaced since the last request.
    observation = downloader.observeConnectivity { [weak self] in self?.connectivityDidChange() }
    var request = ImageRequest(url: url, headers: ["Accept": "text/plain, */*;q=0.8"], cachePolicy: .refresh)
    request.decodes = false
    // The validator keeps other content from replacing the list on disk.
    request.validator = DataValidator("feed list") { [name] bytes in
      _ = try FeedReader.list(bytes, name: name, base: url)
    }
    isLoading = true
    let generation = generation
    task = downloader.load(
      request, completion: { [weak self] result in self?.finish(result, url: url, generation) })
  }

  /// Requests the list at once if a retry is scheduled, or if the running request has not received anything yet.
  private func connectivityDidChange() {
    let isUnresponsive = task.map { $0.progress.received == 0 } ?? false
    guard isRetryScheduled || isUnresponsive else { return }
    task?.cancel()
    task = nil
    isLoading = false
    retry = FeedRetry()
    reload()
  }

  private func finish(_ result: Result<ImageResponse, ImageError>, url: URL, _ generation: Int) {
    guard generation == self.generation else { return }
    task = nil
    switch result {
    case .success(let response):
      var stale: State?
      if case .stale(_, let reason) = response.freshness {
        stale = .stale(reason.map { .notLoaded(name, $0) })
      }
      receive(response.data ?? [], from: Self.listURL(of: response, for: url), stale: stale, generation)
    case .failure(let error): fail(error)
    }
  }

  /// Returns the URL of the list after redirects. The disk does not store the login, which relative image URLs need.
  private static func listURL(of response: ImageResponse, for url: URL) -> URL {
    guard let finalURL = response.http?.url else { return url }
    let isSameURL = finalURL.absoluteString.separatingLogin.url == url.absoluteString.separatingLogin.url
    return isSameURL ? url : finalURL
  }

  /// Parses a list off the main actor, because parsing a long list takes a while.
  private func receive(_ new: [UInt8], from base: URL, stale: State?, _ generation: Int) {
    // The same list at another URL names other images by its relative URLs.
    guard new != bytes || base != self.base || bytes.isEmpty else { return finishLoading(stale: stale) }
    Task { [weak self, name, items] in
      let result = await Self.items(new, name: name, base: base, unlike: items)
      guard let self, generation == self.generation else { return }
      switch result {
      case .success(let changed):
        bytes = new
        self.base = base
        if let changed {
          self.items = changed
          onChange?(.items)
        }
        finishLoading(stale: stale)
      case .failure(let error): fail(.invalidData("\(error)"))
      }
    }
  }

  /// Returns the items of a list; `nil` if they are those that are shown.
  @concurrent private nonisolated static func items(
    _ bytes: [UInt8], name: String, base: URL, unlike old: Items
  ) async -> Result<Items?, FeedError> {
    Result { () throws(FeedError) in
      let items = Items(try FeedReader.list(bytes, name: name, base: base))
      return items.elementsEqual(old) ? nil : items
    }
  }

  private func finishLoading(stale: State?) {
    isLoading = false
    let action = retry.next(after: stale == nil ? .fresh : .stale, random: random())
    schedule(action)
    state = stale ?? .loaded
  }

  private func fail(_ error: ImageError) {
    isLoading = false
    let action = retry.next(after: .failed(error), random: random())
    schedule(action)
    let error = FeedError.notLoaded(name, error)
    // A list that is already shown stays.
    if items.isEmpty {
      state = action == .giveUp ? .failed(error) : .waiting(error)
    } else {
      state = .stale(error)
    }
  }

  private func schedule(_ action: FeedRetry.Action) {
    guard case .retry(let seconds) = action else { return }
    isRetryScheduled = true
    generation += 1
    let generation = generation
    let clock = currentDownloader().engine.clock
    clock.wake(at: clock.now.advanced(bySeconds: seconds)) { [weak self] in
      MainActorQueue.main.post { [weak self] in
        guard let self, isRetryScheduled, generation == self.generation else { return }
        reload()
      }
    }
  }
}
