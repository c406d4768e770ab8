public import VitrineGraphics

/// A loaded image with its source and freshness.
public struct ImageResponse: Sendable {
  /// The image, ready to draw.
  public internal(set) var image: Image
  /// The source of the image.
  public let source: Source
  /// The head of the response; `nil` for an image from memory, and without a status for a file or data URL.
  public let http: TransportResponse?
  /// The metrics of the transfer; `nil` if there was none, as for an image from memory or a fresh response on disk.
  public let metrics: TransportMetrics?
  /// The freshness of the image, as far as known.
  public let freshness: Freshness
  /// The encoded bytes, for a request with `keepsData` or without `decodes`; `nil` for an image from memory.
  public internal(set) var data: [UInt8]?
  var storing: StoringSignal?
  /// True if the pixels were read from a pixel cache and not decoded for this load.
  package internal(set) var isFromPixelCache = false
  /// True for an animation that was decoded for this load, and whose first frame was in a pixel cache.
  package internal(set) var hasStoredFirstFrame = false
  /// The age in seconds of a fresh response on disk; `nil` for other images.
  var ageOnDisk: Double?

  /// The time since the server last sent or confirmed a stored image, as of the end of the load. In contrast to
  /// `Freshness.age`, a fresh image from disk has an age too. `nil` if the server has just sent or confirmed the image,
  /// for a file, and for an image from memory that is not known to be stale.
  public var age: StoredAge? { freshness.age ?? ageOnDisk.map { StoredAge(seconds: $0) } }

  /// Returns true if the bytes are on disk (SDWebImage's `WaitStoreCache`). Waits for the disk only if the bytes have
  /// just come from the network.
  ///
  /// Returns false without a disk cache, if the server forbids storing the response, and for an image from memory,
  /// because the disk is not asked; see `ImageDownloader.containsCachedData(for:)`.
  public func isStored() async -> Bool {
    guard let storing else { return source == .disk }
    return await storing.isKept
  }

  /// The source of an image.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The memory cache. The image is shown within the same call, without a transition unless a slot is configured
    /// otherwise.
    case memory
    /// The disk cache. The image was decoded for this request, or for another request that this one joined.
    case disk
    /// The network. The image was downloaded for this request, or for another request that this one joined.
    case network
    /// A file or data URL.
    case file
  }

  /// The freshness of an image, compared with the image that its server has now.
  public enum Freshness: Hashable, Sendable {
    /// The image is up to date as far as the server has said. Files are reported as fresh. So are images in memory within
    /// their lifetime, which is at least `FreshnessRules.staleInMemory`, unless they were made from a stale response.
    case fresh
    /// The image was stored, and the server has confirmed that nothing has changed (304).
    case revalidated
    /// A stored response that may be outdated and could not be refreshed for this reason; nil while the server is being
    /// asked, and for `.cacheOnly`. `age` is in seconds since the response was last known to be valid (RFC 5861).
    case stale(age: Double, reason: ImageError?)
  }

  /// Creates a response, for tests of code that receives responses; fresh by default. `http` and `metrics` are `nil`
  /// for an image from memory.
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

  /// Creates the response that a slot shows until the image is decoded.
  ///
  /// - Parameter image: The first frame of an animation, or a smaller variant, from a pixel cache.
  package init(provisional image: Image) {
    self.init(image: image, source: .disk)
    isFromPixelCache = true
  }
}

extension ImageResponse: CustomStringConvertible {
  /// The size, the format, the source and the freshness in one line: "640x480 jpeg from the network, revalidated".
  public var description: String {
    let origin =
      switch source {
      case .memory: "from memory"
      case .disk: "from disk"
      case .network: "from the network"
      case .file: "from a file"
      }
    return "\(image.pixelWidth)x\(image.pixelHeight) \(image.format.rawValue) \(origin), \(freshness)"
  }
}
