import FoundationEssentials
import Vitrine

/// A feed whose list is loaded over http(s) by the downloader, and kept in the disk cache with the images.
///
/// If the server cannot be reached or sends something other than a list, the list is shown from disk, and requested
/// again until the server sends one. When the network returns, the request is sent at once.
final class NetworkFeed {
  /// The state of a feed.
  enum State: Equatable {
    case loading
    case loaded
    /// The stored list is shown.
    case stale
    /// The list has not arrived yet; the value is the reason.
    case waiting(String)
    /// The list cannot be loaded; the value is the reason in one line.
    case failed(String)
  }

  private(set) var state = State.loading { didSet { if state != oldValue { onChange() } } }
  /// The current list; empty until the list has arrived.
  private(set) var feed: Feed
  /// Called when another list should be shown.
  var onListChange: () -> Void = {}
  /// Called when `state` has changed.
  var onChange: () -> Void = {}

  private let url: URL
  private let downloader: ImageDownloader
  private let window: Window
  private let random: () -> Double
  private var retry = FeedRetry()
  private var timer: WindowTimer?
  private var task: ImageTask?
  /// Generation counter, incremented by each request. Results of earlier requests are dropped.
  private var generation = 0
  private var observation: (any Cancellable)?
  /// The bytes from which `feed` was parsed.
  private var bytes: [UInt8] = []

  init(
    url: URL, downloader: ImageDownloader, window: Window,
    random: @escaping () -> Double = { Double.random(in: 0...1) }
  ) {
    self.url = url
    self.downloader = downloader
    self.window = window
    self.random = random
    feed = Feed(name: url.absoluteString.withoutSecrets, items: [])
    observation = downloader.observeConnectivity { [weak self] in self?.connectivityDidChange() }
  }

  /// True while the list is being loaded.
  var isLoading: Bool { task != nil }

  /// Requests the list now, even if a retry is scheduled. Does nothing if a request is running.
  func load() {
    timer?.cancel()
    timer = nil
    guard task == nil else { return }
    var request = ImageRequest(url: url, headers: ["Accept": "text/plain, */*;q=0.8"], cachePolicy: .refresh)
    request.decodes = false
    // The validator keeps other content from replacing the list on disk.
    request.validator = DataValidator("feed list") { [url, name = feed.name] bytes in
      _ = try Self.parse(bytes, name: name, base: url)
    }
    generation += 1
    let generation = generation
    task = downloader.load(
      request, completion: { [weak self] result in self?.finish(result, of: generation) })
  }

  /// Requests the list at once if a retry is scheduled, or if the running request has not received anything yet.
  private func connectivityDidChange() {
    let isUnresponsive = task.map { $0.progress.received == 0 } ?? false
    guard timer != nil || isUnresponsive else { return }
    task?.cancel()
    task = nil
    retry = FeedRetry()
    load()
  }

  private func finish(_ result: Result<ImageResponse, ImageError>, of generation: Int) {
    guard generation == self.generation else { return }
    task = nil
    switch result {
    case .success(let response):
      var isStale = false
      if case .stale = response.freshness { isStale = true }
      receive(response.data ?? [], from: listURL(of: response), isStale: isStale)
    case .failure(let error): fail(error)
    }
  }

  /// Returns the URL of the list after redirects. The disk does not store the login, which relative image URLs need.
  private func listURL(of response: ImageResponse) -> URL {
    guard let finalURL = response.http?.url else { return url }
    let isSameURL = finalURL.absoluteString.separatingLogin.url == url.absoluteString.separatingLogin.url
    return isSameURL ? url : finalURL
  }

  /// Parses a list off the main actor, because parsing a long list takes a while.
  private func receive(_ new: [UInt8], from base: URL, isStale: Bool) {
    guard new != bytes || bytes.isEmpty else { return finishLoading(isStale: isStale) }
    Task { [weak self, name = feed.name] in
      let list = await Self.read(new, name: name, base: base)
      self?.show(list, of: new, isStale: isStale)
    }
  }

  @concurrent private nonisolated static func read(
    _ bytes: [UInt8], name: String, base: URL
  ) async -> Result<FeedList, FeedError> {
    Result { () throws(FeedError) in try parse(bytes, name: name, base: base) }
  }

  private nonisolated static func parse(
    _ bytes: [UInt8], name: String, base: URL
  ) throws(FeedError) -> FeedList {
    let list = try FeedList(try FeedLoader.checked(bytes, of: name), base: base)
    guard !list.isEmpty else { throw FeedError(message: "the feed at \(name) names no picture") }
    return list
  }

  private func show(_ list: Result<FeedList, FeedError>, of new: [UInt8], isStale: Bool) {
    switch list {
    case .success(let list):
      bytes = new
      feed = Feed(name: feed.name, list: list)
      onListChange()
      finishLoading(isStale: isStale)
    case .failure(let error): fail(.invalidData(error.message))
    }
  }

  private func finishLoading(isStale: Bool) {
    state = isStale ? .stale : .loaded
    plan(retry.next(after: isStale ? .stale : .fresh, random: random()))
  }

  private func fail(_ error: ImageError) {
    let message = "cannot load the feed \(feed.name): \(error)"
    let action = retry.next(after: .failed(error), random: random())
    // A list that is already shown stays.
    if feed.count > 0 {
      state = .stale
    } else {
      state = action == .giveUp ? .failed(message) : .waiting(message)
    }
    plan(action)
  }

  private func plan(_ action: FeedRetry.Action) {
    guard case .retry(let seconds) = action else { return }
    timer?.cancel()
    timer = window.after(seconds) { [weak self] in self?.load() }
  }
}
