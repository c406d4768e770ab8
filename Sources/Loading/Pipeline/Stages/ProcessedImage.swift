import VitrineGraphics

/// The third stage of a load: an image that is being transformed or stored in a cache.
struct ProcessedImage {
  enum Phase {
    case idle
    case transforming
    case storing(Image)
  }

  var key: ProcessedImageKey
  let decode: DecodeID
  /// The request of the first caller; together with `additionalIdentifier` it is passed to the cache.
  var request: ImageRequest
  let additionalIdentifier: String?
  var phase = Phase.idle
  /// The number of seconds that the transforms took.
  var seconds = 0.0
  var demand = Demand()
  var waiters = LoadIDSet<TaskKind>()

  /// True if the image waits for its pixels.
  var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// Replaces the priority of a caller. Returns the decode, and the new priority of a transform that is running.
  mutating func replaceDemand(
    _ old: ImageRequest.Priority?, with new: ImageRequest.Priority?
  ) -> (decode: DecodeID, priority: ImageRequest.Priority?) {
    let priority = demand.replace(old, with: new)
    if case .transforming = phase { return (decode, priority) } else { return (decode, nil) }
  }
}
