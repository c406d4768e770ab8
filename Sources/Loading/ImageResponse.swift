public import VitrineGraphics

/// A picture and where it came from.
public struct ImageResponse: Sendable {
  /// The picture, ready to draw.
  public let image: Image
  /// Which stage had it.
  public let source: Source
  /// Head of the answer: nil from memory (AF-D8), without a status from a file.
  public let http: TransportResponse?
  /// What the transfer took; nil from memory.
  public let metrics: TransportMetrics?
  /// Whether it is what the server has now, as far as is known.
  public let freshness: Freshness
  /// The bytes that the picture was decoded from, for a request that `keepsData`; nil from memory.
  public internal(set) var data: [UInt8]?
  var storing: StoringSignal?

  /// Whether its bytes are on disk, as soon as that is settled (SDWebImage's WaitStoreCache): at once unless they have
  /// just come from the network. False where there is no disk cache, or the server forbids to keep them; and for a picture
  /// from memory, for which nobody has asked the disk: see `ImageDownloader.containsCachedData(for:)`.
  public func isStored() async -> Bool {
    guard let storing else { return source == .disk }
    return await storing.isKept
  }

  /// Which stage had it.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// Decoded already: shown in the same call, without a transition unless a slot is told otherwise.
    case memory
    /// Kept since an earlier time, on disk; decoded for this request, or for another one that it joined.
    case disk
    /// Downloaded for this request, or for another one that it joined.
    case network
    /// A file or data URL.
    case file
  }

  /// Whether a picture is what its server has now.
  public enum Freshness: Hashable, Sendable {
    /// As far as the server has said; so are files, and what is in memory, even for `FreshnessRules.staleInMemory` after
    /// it was shown for want of the server.
    case fresh
    /// It was kept, and the server has said that it has not changed (304).
    case revalidated
    /// A stored response that may be outdated and could not be refreshed for this reason; nil while the server is being
    /// asked, and for `.cacheOnly`. `age` is in seconds since the response was last known to be valid (RFC 5861).
    case stale(age: Double, reason: ImageError?)
  }

  /// An answer; fresh, unless said otherwise; without `http` and `metrics` for one from memory.
  public init(
    image: Image, source: Source, http: TransportResponse? = nil, metrics: TransportMetrics? = nil,
    freshness: Freshness = .fresh, data: [UInt8]? = nil
  ) {
    self.image = image
    self.source = source
    self.http = http
    self.metrics = metrics
    self.freshness = freshness
    self.data = data
  }
}
