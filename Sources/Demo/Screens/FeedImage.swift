import FoundationEssentials
import Vitrine

/// The source and the age of the shown image of a feed item, and the reason why it is stale, for the status line.
nonisolated struct ImageOrigin {
  /// The source of the image; `nil` until there is one.
  private(set) var source: ImageResponse.Source?
  /// The reason why the image is stale; `nil` if it is not.
  private(set) var staleReason: StaleReason?
  /// The age of the image when it arrived, and the time of its arrival in nanoseconds; `nil` unless the image was stored
  /// before.
  private var arrival: (age: StoredAge, time: Int64)?
  private static let clock = SystemLoadingClock()

  /// Notes that an image is shown.
  mutating func show(_ response: ImageResponse) {
    source = response.source
    staleReason = if case .stale(_, let reason) = response.freshness { StaleReason(reason) } else { nil }
    arrival = response.age.map { ($0, Self.clock.now) }
  }

  /// Notes why the image stays although its server was asked.
  mutating func keep(because reason: StaleReason) { staleReason = reason }

  /// The current age of the image; `nil` unless it was stored before.
  var age: StoredAge? {
    arrival.map { StoredAge(seconds: $0.age.seconds + Double(Self.clock.now - $0.time) / 1e9) }
  }
}

/// The outcome of loading the image of a feed item, for the cell or tile that shows it.
nonisolated struct FeedImageState {
  /// `.loading`, `.loaded` or `.failed`.
  private(set) var outcome = ScriptState.loading
  private(set) var origin = ImageOrigin()
  /// The reason why there is no image; `nil` unless loading has failed.
  private(set) var failureReason: StaleReason?

  /// Notes the result of a load of `url`.
  mutating func note(_ result: Result<ImageResponse, ImageError>, of url: String) {
    switch result {
    case .success(let response):
      outcome = .loaded
      origin.show(response)
    case .failure(.cancelled): break
    // A failed revalidation keeps the shown image.
    case .failure(let error) where origin.source != nil: origin.keep(because: StaleReason(error, of: url))
    case .failure(let error):
      outcome = .failed
      failureReason = StaleReason(error, of: url)
    }
  }

  /// Notes why a stale image stays.
  mutating func didFailToRefresh(because error: ImageError, of url: String) {
    origin.keep(because: StaleReason(error, of: url))
  }
}

/// A cell or tile with the image of a feed item.
protocol FeedImage: View {
  var image: ImageView { get }
  var item: Feed.Item { get }
  var imageState: FeedImageState { get set }
  /// Called when `imageState` has changed because of a request that was sent again automatically.
  func imageStateDidChange()
}

extension FeedImage {
  var origin: ImageOrigin { imageState.origin }
  /// True if loading has failed and there is no image.
  var isFailed: Bool { imageState.outcome == .failed }

  /// Updates the view if its slot shows a response to a request that was sent again automatically.
  func didRecover(_ response: ImageResponse) {
    guard response.image === image.image || response.http?.url.absoluteString == item.url else { return }
    imageState.note(.success(response), of: item.url)
    imageStateDidChange()
  }

  /// Notes why the view still shows a stale image.
  func didFailToRefresh(_ shown: Image, because error: ImageError) {
    guard shown === image.image, origin.staleReason != nil else { return }
    imageState.didFailToRefresh(because: error, of: item.url)
    imageStateDidChange()
  }
}
