import FoundationEssentials
import Vitrine

/// A feed whose list comes over http(s), by the downloader and the disk cache of the images: it is shown from disk when its
/// server cannot be reached, and asked for again until it can.
final class NetworkFeed {
  /// How the feed stands.
  enum State: Equatable {
    case loading
    case loaded
    /// Shown as it was kept.
    case stale
    /// Not there yet; why.
    case waiting(String)
    /// Cannot be had; why, in one line.
    case failed(String)
  }

  private(set) var state = State.loading { didSet { if state != oldValue { onChange() } } }
  /// What there is of the feed; without items until the list has come.
  private(set) var feed: Feed
  /// Called when another list is to be shown.
  var onList: () -> Void = {}
  /// Called when `state` has changed.
  var onChange: () -> Void = {}

  private let url: URL
  private let downloader: ImageDownloader
  private let window: Window
  private let random: () -> Double
  private var retry = FeedRetry()
  private var timer: WindowTimer?
  private var task: ImageTask?
  /// The bytes that `feed` was made from.
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
  }

  /// True while the list is on its way.
  var isLoading: Bool { task != nil }

  /// Asks for the list now, whatever was planned.
  func load() {
    timer?.cancel()
    timer = nil
    guard task == nil else { return }
    var request = ImageRequest(url: url, headers: ["Accept": "text/plain, */*;q=0.8"], cachePolicy: .refresh)
    request.decodes = false
    task = downloader.load(
      request, completion: { [weak self] result in self?.finish(result) })
  }

  private func finish(_ result: Result<ImageResponse, ImageError>) {
    task = nil
    switch result {
    case .success(let response):
      var isStale = false
      if case .stale = response.freshness { isStale = true }
      take(response.data ?? [], from: place(of: response), isStale: isStale)
    case .failure(let error): fail(error)
    }
  }

  /// Where the list came from after redirects. The disk keeps no login, which is needed for the images beside the list.
  private func place(of response: ImageResponse) -> URL {
    guard let place = response.http?.url else { return url }
    let isHere = place.absoluteString.separatingLogin.url == url.absoluteString.separatingLogin.url
    return isHere ? url : place
  }

  /// Reads a list away from the main actor: a long one takes a while.
  private func take(_ new: [UInt8], from base: URL, isStale: Bool) {
    guard new != bytes || bytes.isEmpty else { return settle(isStale: isStale) }
    Task { [weak self, name = feed.name] in
      let list = await Self.read(new, name: name, base: base)
      self?.show(list, of: new, isStale: isStale)
    }
  }

  @concurrent private nonisolated static func read(
    _ bytes: [UInt8], name: String, base: URL
  ) async -> Result<FeedList, FeedError> {
    Result { () throws(FeedError) in
      let list = try FeedList(try FeedLoader.checked(bytes, of: name), base: base)
      guard !list.isEmpty else { throw FeedError(message: "the feed at \(name) names no picture") }
      return list
    }
  }

  private func show(_ list: Result<FeedList, FeedError>, of new: [UInt8], isStale: Bool) {
    switch list {
    case .success(let list):
      bytes = new
      feed = Feed(name: feed.name, list: list)
      onList()
      settle(isStale: isStale)
    // A list that was shown goes on being shown.
    case .failure(let error): state = feed.count > 0 ? .stale : .failed(error.message)
    }
  }

  private func settle(isStale: Bool) {
    state = isStale ? .stale : .loaded
    plan(retry.next(after: isStale ? .stale : .fresh, random: random()))
  }

  private func fail(_ error: ImageError) {
    let message = "cannot load the feed \(feed.name): \(error)"
    let action = retry.next(after: .failed(error), random: random())
    if feed.count > 0 {
      state = .stale
    } else {
      state = action == .giveUp ? .failed(message) : .waiting(message)
    }
    plan(action)
  }

  private func plan(_ action: FeedRetry.Action) {
    guard case .retry(let seconds) = action else { return }
    timer = window.after(seconds) { [weak self] in self?.load() }
  }
}
