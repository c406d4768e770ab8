public import FoundationEssentials
public import VitrineGraphics

/// What is asked for: a URL, how it is fetched, and what is made of it.
///
/// ```swift
/// var request = try ImageRequest("https://example.com/cover.jpg")
/// request.targetSize = DecodeTarget(width: 128, height: 128)
/// request.transforms = [.circle()]
/// ```
public struct ImageRequest: Sendable {
  /// Where it is; absolute, or the load fails with `.invalidURL`.
  public var url: URL {
    get { identity.fullURL }
    set { identity = RequestIdentity(url: newValue, headers: headers) }
  }
  /// Sent with the request. Those that change the answer (Authorization, Cookie, Accept, Accept-Language)
  /// are part of its identity.
  public var headers: HTTPHeaders {
    get { identity.allHeaders }
    set { identity = RequestIdentity(url: url, headers: newValue) }
  }
  /// The position in the queue of downloads. A shared load has the highest priority of its requests. A slot asks with a
  /// lower priority while its view is in a window but not on the screen.
  public var priority: Priority
  /// What part the cache plays; `.useCache` by default.
  public var cachePolicy: CachePolicy
  /// Where the picture is looked up and kept; in the downloader's cache by default.
  public var cache: Cache {
    get { choices?.values.cache ?? .downloader }
    set { change { $0.cache = newValue } }
  }
  /// The size that it is needed at, in pixels; nil decodes it whole. Slots fill it in.
  public var targetSize: DecodeTarget?
  /// Applied in order after decoding; if there are none, those of the downloader's configuration.
  public var transforms: [any ImageTransform] {
    get { choices.map { $0.values.decodes ? $0.values.transforms : [] } ?? [] }
    set { change { $0.transforms = newValue } }
  }
  /// What decoding it may cost.
  public var limits: DecodeLimits {
    get { choices?.values.limits ?? DecodeLimits() }
    set { change { $0.limits = newValue } }
  }
  /// Whether `ImageResponse.data` has the bytes that were decoded; false by default. Takes no part in what is shared.
  public var keepsData: Bool {
    get { choices?.values.keepsData ?? false }
    set { change { $0.keepsData = newValue } }
  }

  /// True to decode the response; true by default. If false, the bytes are loaded, coalesced, retried and stored on
  /// disk like those of images, but not decoded: `ImageResponse.data` has the bytes of any kind, and the image is a
  /// transparent pixel that no cache stores.
  public var decodes: Bool {
    get { choices?.values.decodes ?? true }
    set { change { $0.decodes = newValue } }
  }

  /// A check of bytes that are not decoded; `nil`, the default, accepts all bytes. Ignored if `decodes` is true.
  public var validator: DataValidator? {
    get { choices.flatMap { $0.values.decodes ? nil : $0.values.validator } }
    set { change { $0.validator = newValue } }
  }

  /// Whether it is shown while it comes from the network; `.none` by default. Takes no part in what is shared: of those who
  /// wait for one picture, each sees what it has asked for.
  ///
  /// `Configuration.requestProcessor` may set it for all pictures of a downloader.
  public var progressive: Progressive {
    get { choices.map { $0.values.decodes ? $0.values.progressive : .none } ?? .none }
    set { change { $0.progressive = newValue } }
  }

  /// The number of pixels per point of the decoded image (`Image.scale`); `nil`, the default, keeps the decoder's scale
  /// of 1.
  ///
  /// The scale is not part of the identity of the image: memory keeps the image with the scale of the first decoded
  /// request.
  public var imageScale: Double? {
    get { choices?.values.decoding.scale }
    set { change { $0.decoding.scale = newValue } }
  }

  /// Options for a custom decoder, which receives them in `DecodeOptions.custom`; none by default. `ImageCodecs`
  /// ignores them.
  ///
  /// Requests with different options do not share a decode. They share the image in memory unless their additional
  /// identifiers differ.
  public var decoderOptions: [String: String] {
    get { choices?.values.decoding.options ?? [:] }
    set { change { $0.decoding.options = newValue } }
  }

  /// The scale and the decoder options.
  var decoding: DecodeManner { choices?.values.decoding ?? DecodeManner() }

  /// The value of `limits.scaleDownBytes`, read without copying the limits because each memory look-up needs it.
  var scaleDownBytes: Int? { choices?.values.limits.scaleDownBytes }

  /// Returns true if an image has all pixels that a request without a `targetSize` should get.
  package func isWhole(_ image: Image) -> Bool {
    image.isFullSize || scaleDownBytes != nil && !limits.allowMoreThan(image)
  }

  private mutating func change(_ change: (inout RequestChoices.Values) -> Void) {
    var values = choices?.values ?? .init()
    change(&values)
    choices = .unlessUsual(values)
  }

  // A request takes three words, the most that fit into an `any ImageRequestConvertible` without a box on the heap.

  /// Which bytes it asks for; kept, since a slot looks it up several times.
  var identity: RequestIdentity
  /// What else it says; nil where that is nothing.
  private var choices: RequestChoices?

  /// Where a load stands in the queue.
  public enum Priority: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// From what may wait longest to what is wanted first; `.normal` unless a request says otherwise.
    case veryLow, low, normal, high, veryHigh

    /// By urgency.
    public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
  }

  /// What part the cache plays.
  public enum CachePolicy: Hashable, Sendable {
    /// Served from memory or disk if it is there; loaded and kept if not. What is on disk and may have changed is shown
    /// if its server says that it has not, or cannot be reached; see `FreshnessRules`.
    case useCache
    /// Served from the server, which is asked whether what is on disk has changed, however fresh that is
    /// (SDWebImage's RefreshCached). What memory has is shown until then.
    case refresh
    /// Loaded in any case, then kept (`NSURLRequestReloadIgnoringLocalCacheData`, AF-D12).
    case reload
    /// Served from memory or disk, however old, or fails with `.notCached` (`ReturnCacheDataDontLoad`).
    case cacheOnly
  }

  /// Where a picture is looked up and kept. Takes no part in its identity: two requests that differ in it share
  /// download and decoding.
  public enum Cache: Sendable {
    /// In the memory and on the disk of the downloader.
    case downloader
    /// In its memory; the disk is left alone (YYWebImage's IgnoreDiskCache, YY-B4).
    case memoryOnly
    /// On its disk: decoded each time.
    case diskOnly
    /// In another one; those of the downloader are left alone (SDWebImage's `SDWebImageContextImageCache`).
    case other(any ImageRequestCache)
    /// Nowhere: loaded each time, not kept.
    case none
  }

  /// Creates a GET request for `url`; `defaultAccept` is sent unless the headers have an `Accept`.
  public init(
    url: URL, headers: HTTPHeaders = [:], priority: Priority = .normal,
    cachePolicy: CachePolicy = .useCache, cache: Cache = .downloader, targetSize: DecodeTarget? = nil,
    transforms: [any ImageTransform] = [], limits: DecodeLimits = .init(), keepsData: Bool = false,
    progressive: Progressive = .none
  ) {
    self.priority = priority
    self.cachePolicy = cachePolicy
    self.targetSize = targetSize
    identity = RequestIdentity(url: url, headers: headers)
    choices = .unlessUsual(
      .init(
        cache: cache, transforms: transforms, limits: limits, keepsData: keepsData, progressive: progressive))
  }

  /// The cache that it chooses; `own` is that of the downloader. For the way of a memory hit: nearly none chooses.
  func cache(insteadOf own: (any ImageRequestCache)?) -> (any ImageRequestCache)? {
    guard let choices else { return own }
    return choices.values.decodes ? choices.values.cache.resolved(own) : nil
  }

  /// The default `Accept` header: the formats that `ImageCodecs` decodes, then any image, then anything, because a
  /// strict server may refuse a request that accepts only images (status 406).
  public static let defaultAccept = "image/webp,image/png,image/jpeg,image/gif,image/*,*/*;q=0.8"

  /// The headers to send, with `defaultAccept` unless the request has an `Accept` of its own.
  var sentHeaders: HTTPHeaders {
    var headers = headers
    if headers["Accept"] == nil { headers.append(name: "Accept", value: Self.defaultAccept) }
    return headers
  }

  /// A request from text; throws `.invalidURL` for a text that is no absolute URL.
  public init(_ text: String) throws(ImageError) {
    guard let url = URL(string: text), let scheme = url.scheme, !scheme.isEmpty else {
      throw .invalidURL(text)
    }
    self.init(url: url)
  }
}

extension ImageRequest: Hashable {
  /// The same URL, headers, way of loading, cache, and transforms of the same identifiers.
  public static func == (a: ImageRequest, b: ImageRequest) -> Bool {
    a.url == b.url && a.headers == b.headers && a.priority == b.priority
      && a.cachePolicy == b.cachePolicy && a.cache == b.cache && a.targetSize == b.targetSize
      && a.limits == b.limits && a.keepsData == b.keepsData && a.progressive == b.progressive
      && a.decodes == b.decodes && a.validator == b.validator && a.decoding == b.decoding
      && a.transforms.map(\.identifier) == b.transforms.map(\.identifier)
  }

  /// By what mostly tells requests apart: URL, size and transforms.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(targetSize)
    for transform in transforms { hasher.combine(transform.identifier) }
  }
}

extension ImageRequest.Cache: Hashable {
  /// The same choice; another cache is the same instance.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.downloader, .downloader), (.memoryOnly, .memoryOnly), (.diskOnly, .diskOnly), (.none, .none): true
    case (.other(let a), .other(let b)): a === b
    default: false
    }
  }

  /// By the choice, and another cache by its instance.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .downloader: hasher.combine(0)
    case .none: hasher.combine(1)
    case .other(let cache): hasher.combine(ObjectIdentifier(cache))
    case .memoryOnly: hasher.combine(2)
    case .diskOnly: hasher.combine(3)
    }
  }

  /// The cache, where `own` is that of the downloader.
  func resolved(_ own: (any ImageRequestCache)?) -> (any ImageRequestCache)? {
    switch self {
    case .downloader, .memoryOnly: own
    case .other(let cache): cache
    case .none, .diskOnly: nil
    }
  }

  /// Whether the disk is asked, and keeps what has been loaded.
  var usesDisk: Bool {
    switch self {
    case .downloader, .diskOnly: true
    case .memoryOnly, .other, .none: false
    }
  }
}

/// What a slot or a downloader can be asked to load: a `URL`, a `String`, an `ImageRequest`.
public protocol ImageRequestConvertible: Sendable {
  /// The request; throws `.invalidURL` where there is none.
  func asImageRequest() throws(ImageError) -> ImageRequest
}

extension ImageRequest: ImageRequestConvertible {
  /// Itself.
  public func asImageRequest() throws(ImageError) -> ImageRequest { self }
}

extension URL: ImageRequestConvertible {
  /// A GET of the URL; throws `.invalidURL` for a relative one.
  public func asImageRequest() throws(ImageError) -> ImageRequest {
    guard scheme != nil else { throw .invalidURL(absoluteString) }
    return ImageRequest(url: self)
  }
}

extension String: ImageRequestConvertible {
  /// A GET of the text; throws `.invalidURL` for a text that is no absolute URL.
  public func asImageRequest() throws(ImageError) -> ImageRequest { try ImageRequest(self) }
}
