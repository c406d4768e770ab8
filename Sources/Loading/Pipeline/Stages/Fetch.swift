import VitrineGraphics

/// The first stage of a load: bytes that are being fetched, or are received and still needed by a decode.
struct Fetch {
  enum Phase {
    case idle
    /// The fetch waits for a disk lookup.
    case lookingUp
    case running
    case received(FetchedBytes)
  }

  var request: ImageRequest
  /// True for a cache-only request: the server is not asked.
  var isCacheOnly: Bool { request.cachePolicy == .cacheOnly }
  /// The key under which later requests join the fetch.
  var key: FetchKey { FetchKey(request: request.identity, isCacheOnly: isCacheOnly) }
  var phase = Phase.idle
  var demand = Demand()
  var decodes = LoadIDSet<DecodeKind>()
  /// The number of decodes that still read the bytes.
  var unfinishedDecodes = 0
  /// The earlier fetch with an equal key that was under way and could not serve the request.
  var overtaken: FetchID?
  /// True if a later fetch has brought newer bytes. The image is then delivered to the waiting callers, but not cached.
  var isOutdated = false
  /// The images whose other sizes were removed from a cache, because this fetch has brought newer bytes.
  var replaced: Set<AllSizesKey> = []
}
