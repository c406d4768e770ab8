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

/// A cell or tile with the image of a feed item.
protocol FeedImage: View {
  var origin: ImageOrigin { get }
  /// True if loading has failed and there is no image.
  var isFailed: Bool { get }
  /// Updates the view if its slot shows a response to a request that was sent again automatically.
  func didRecover(_ response: ImageResponse)
  /// Notes why the view still shows a stale image.
  func didFailToRefresh(_ shown: Image, because error: ImageError)
}
