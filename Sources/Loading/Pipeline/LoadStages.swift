import VitrineGraphics

// What runs, as a tree: a fetch has decodes, a decode has pictures, a picture has waiters. Each of the first
// three is shared by everyone who needs it and goes when the last of them has gone. A stage is idle while it
// waits for the one before it, and again when it has failed.

/// One caller who waits for a picture.
struct Waiter {
  let picture: PictureID
  var priority: ImageRequest.Priority
}

/// Bytes on their way, or here and still needed by a decode.
struct Fetch {
  enum Phase {
    case idle
    case running
    case received(FetchedBytes)
  }

  let key: RequestIdentity
  let request: ImageRequest
  var phase = Phase.idle
  var demand = Demand()
  var decodes: Set<DecodeID> = []
  /// Decodes that still read the bytes.
  var unfinishedDecodes = 0
}

/// What a transport brought.
struct FetchedBytes: Sendable {
  let body: [UInt8]
  let response: TransportResponse?
  let metrics: TransportMetrics
}

/// Pixels being made, or here and still needed by a picture.
struct Decode {
  enum Phase {
    case idle
    case running
    case decoded(Image)
  }

  let key: DecodeKey
  let fetch: FetchID
  var phase = Phase.idle
  var demand = Demand()
  var pictures: Set<PictureID> = []
}

/// A picture being transformed or put into the cache.
struct Picture {
  enum Phase {
    case idle
    case transforming
    case storing(Image)
  }

  let key: PictureKey
  let decode: DecodeID
  /// The request of the caller who came first, and its additional identifier: the cache is asked in its name.
  let request: ImageRequest
  let additionalIdentifier: String?
  var phase = Phase.idle
  var demand = Demand()
  var waiters: Set<TaskID> = []
}

/// What the registry wants done. The doer reports back with the same number.
enum LoadAction: Sendable {
  case startFetch(FetchID, ImageRequest)
  case cancelFetch(FetchID)
  case decode(DecodeID, [UInt8], DecodeKey, ImageRequest.Priority)
  case transform(PictureID, Image, [any ImageTransform], ImageRequest.Priority)
  /// Stop a decode or a transform, if it has not begun.
  case cancelWork(number: UInt64)
  case reprioritizeWork(number: UInt64, ImageRequest.Priority)
  case store(PictureID, Image, ImageRequest, additionalIdentifier: String?)
  /// To these callers, in this order.
  case deliver([TaskID], Result<ImageResponse, ImageError>)
}
