import VitrineGraphics

/// The second stage of a load: pixels that are being decoded, or are decoded and still needed by an image.
struct Decode {
  enum Phase {
    case idle
    case running
    case decoded(Image)
  }

  var key: DecodeKey
  let fetch: FetchID
  var phase = Phase.idle
  var demand = Demand()
  var processedImages = LoadIDSet<ProcessedImageKind>()
  /// The number of seconds that decoding took.
  var seconds = 0.0
  /// The bytes that are being decoded, or have been decoded.
  var bytes: FetchedBytes?

  /// - Parameter fetch: The fetch that brings the bytes.
  init(key: DecodeKey, fetch: FetchID) {
    self.key = key
    self.fetch = fetch
  }

  /// Replaces the priority of a caller. Returns the fetch, and the new priority of a decode that is running.
  mutating func replaceDemand(
    _ old: ImageRequest.Priority?, with new: ImageRequest.Priority?
  ) -> (fetch: FetchID, priority: ImageRequest.Priority?) {
    let priority = demand.replace(old, with: new)
    if case .running = phase { return (fetch, priority) } else { return (fetch, nil) }
  }
}
