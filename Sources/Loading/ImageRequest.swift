public import FoundationEssentials
public import VitrineGraphics

/// A request for an image: its URL, how the URL is fetched, and how the image is made from the response.
///
/// ```swift
/// var request = try ImageRequest("https://example.com/cover.jpg")
/// request.targetSize = DecodeTarget(width: 128, height: 128)
/// request.transforms = [.circle()]
/// ```
public struct ImageRequest: Sendable {
  /// The URL of the image. A relative URL fails with `.invalidURL`.
  public var url: URL {
    get { identity.fullURL }
    set { identity = RequestIdentity(url: newValue, headers: headers) }
  }
  /// The headers to send. Headers that change the response (Authorization, Cookie, Accept, Accept-Language) are part of
  /// the identity of the request.
  public var headers: HTTPHeaders {
    get { identity.allHeaders }
    set { identity = RequestIdentity(url: url, headers: newValue) }
  }
  /// The priority in the queue of downloads; `.normal` by default. A shared load has the highest priority of its
  /// requests. A slot lowers the priority while its view is in a window but not on the screen.
  public var priority: Priority
  /// The policy for using caches; `.useCache` by default.
  public var cachePolicy: CachePolicy
  /// The cache in which the image is looked up and stored; the caches of the downloader by default.
  public var cache: Cache {
    get { choices?.values.cache ?? .downloader }
    set { change { $0.cache = newValue } }
  }
  /// The size that is needed, in pixels; `nil`, the default, decodes the image at full size. Slots set the size.
  public var targetSize: DecodeTarget?
  /// The transforms, applied in order after decoding. Without any, the transforms of the downloader's configuration are
  /// applied.
  public var transforms: [any ImageTransform] {
    get { choices.map { $0.values.decodes ? $0.values.transforms : [] } ?? [] }
    set { change { $0.transforms = newValue } }
  }
  /// The limits for decoding the image.
  public var limits: DecodeLimits {
    get { choices?.values.limits ?? DecodeLimits() }
    set { change { $0.limits = newValue } }
  }
  /// True to show pixels that an earlier run has stored, and to store the decoded pixels on disk; true by default. Has
  /// no effect without a pixel cache, and for requests that use no disk cache. Requests that differ only in this
  /// property share their load, which stores no pixels if the property is false for one of them.
  public var usesPixelCache: Bool {
    get { choices?.values.usesPixelCache ?? true }
    set { change { $0.usesPixelCache = newValue } }
  }
  /// True to deliver the encoded bytes in `ImageResponse.data`; false by default. Requests that differ only in this
  /// property share their load.
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

  /// True to keep the stored response if the server reports that there is none any more (404, 410, 451); false by
  /// default. Requests that differ only in this property share their load, which keeps the response if the property is
  /// true for one of them.
  var keepsStoredResponse: Bool {
    get { choices?.values.keepsStoredResponse ?? false }
    set { change { $0.keepsStoredResponse = newValue } }
  }

  /// The style of the previews that are shown while the image comes from the network; `.none` by default. Requests that
  /// differ only in this property share their load, and each caller receives the previews that it has requested.
  ///
  /// `Configuration.requests.processor` may set this property for all images of a downloader.
  public var progressive: Progressive {
    get { choices.map { $0.values.decodes ? $0.values.progressive : .none } ?? .none }
    set { change { $0.progressive = newValue } }
  }

  /// The part of an animated image that is loaded, and the choice for its decoded frames; `.automatic` by default.
  ///
  /// Requests that differ only in `.firstFrame` share the image in memory. Otherwise memory keeps the image with the
  /// choice of the first decoded request. A first frame that comes from the pixel cache, where the other frames are not,
  /// is not kept in memory.
  public var animation: Animation {
    get {
      guard let values = choices?.values else { return .automatic }
      return values.onlyFirstFrame ? .firstFrame : Animation(values.decoding.frameStorage)
    }
    set {
      change {
        $0.onlyFirstFrame = newValue == .firstFrame
        $0.decoding.frameStorage = newValue.storage
      }
    }
  }

  /// True if the first frame of an animated image is enough.
  var onlyFirstFrame: Bool { choices?.values.onlyFirstFrame == true }

  /// Returns the image to deliver: the first frame, if the request asks for no more.
  func delivered(_ image: Image) -> Image {
    guard onlyFirstFrame, image.isAnimated else { return image }
    let frame = image.firstFrame
    frame.expire(like: image)
    return frame
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
  var decoding: DecodeSettings { choices?.values.decoding ?? DecodeSettings() }

  /// The value of `limits.scaleDownBytes`, read without copying the limits because each memory lookup needs it.
  var scaleDownBytes: Int? { choices?.values.limits.scaleDownBytes }

  /// True if a property of `choices` differs from its default.
  var hasChoices: Bool { choices != nil }

  /// The holder of the objects of the application; `nil` if there are none.
  var objects: (any Sendable)? {
    guard let choices, choices.values.holdObjects else { return nil }
    return choices
  }

  /// Returns true if an image has all pixels that a request without a `targetSize` should get.
  package func hasAllPixels(_ image: Image) -> Bool {
    image.isFullSize || scaleDownBytes != nil && !limits.allowMoreThan(image)
  }

  private mutating func change(_ change: (inout RequestChoices.Values) -> Void) {
    var values = choices?.values ?? .init()
    change(&values)
    choices = .unlessDefault(values)
  }

  // A request takes three words, the most that fit into an `any ImageRequestConvertible` without a heap allocation.

  /// The identity of the requested bytes; stored, because a slot uses it several times.
  var identity: RequestIdentity
  /// The properties that differ from their defaults; `nil` if all have their defaults.
  private var choices: RequestChoices?

  /// The priority of a load in the queue.
  public enum Priority: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// The priorities, from the least urgent to the most urgent; `.normal` is the default of a request.
    case veryLow, low, normal, high, veryHigh

    /// Orders priorities by urgency.
    public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
  }

  /// The part of an animated image that is loaded, and the choice between keeping its decoded frames and decoding them
  /// again.
  public enum Animation: Hashable, Sendable, CaseIterable {
    /// Views play the image. The frames of a small animation are kept; those of a large one are decoded again in each
    /// loop.
    case automatic
    /// The image is still: its first frame (SDWebImage's `DecodeFirstFrameOnly`, YYWebImage's `IgnoreAnimatedImage`).
    case firstFrame
    /// All frames are decoded as soon as a view shows the image, and kept while there is memory for them (SDWebImage's
    /// `PreloadAllFrames`).
    case preloaded
    /// Only the frame on the screen and those that follow it are kept.
    case streaming

    init(_ storage: FrameStorage) {
      self =
        switch storage {
        case .automatic: .automatic
        case .preloaded: .preloaded
        case .streaming: .streaming
        }
    }

    var storage: FrameStorage {
      switch self {
      case .automatic, .firstFrame: .automatic
      case .preloaded: .preloaded
      case .streaming: .streaming
      }
    }
  }

  /// The policy for using caches.
  public enum CachePolicy: Hashable, Sendable {
    /// Serves the image from memory or disk, or else loads and stores the image. A stale response on disk is
    /// revalidated first, and shown if the server reports no change or cannot be reached; see `FreshnessRules`. A slot
    /// shows it at once and revalidates it meanwhile.
    case useCache
    /// Revalidates the response on disk with its server even if it is fresh (SDWebImage's `RefreshCached`). A slot
    /// shows the image from memory or disk until then.
    case refresh
    /// Loads and stores the image in any case (`NSURLRequestReloadIgnoringLocalCacheData`).
    case reload
    /// Serves the image from memory or disk, fresh or stale, or fails with `.notCached` (`ReturnCacheDataDontLoad`).
    case cacheOnly
  }

  /// The cache in which an image is looked up and stored. Not part of the identity of the image: requests that differ
  /// only in their caches share download and decoding.
  public enum Cache: Sendable {
    /// The memory and disk caches of the downloader.
    case downloader
    /// The memory cache of the downloader, without its disk cache (YYWebImage's `IgnoreDiskCache`).
    case memoryOnly
    /// The disk cache of the downloader, without its memory cache: the image is decoded each time.
    case diskOnly
    /// Another cache instead of the downloader's (SDWebImage's `SDWebImageContextImageCache`).
    case other(any ImageRequestCache)
    /// No cache: the image is loaded each time and not stored.
    case none
  }

  /// Creates a GET request for `url`; `defaultAccept` is sent unless the headers have an `Accept`.
  public init(
    url: URL, headers: HTTPHeaders = [:], priority: Priority = .normal, cachePolicy: CachePolicy = .useCache,
    cache: Cache = .downloader, targetSize: DecodeTarget? = nil, transforms: [any ImageTransform] = [],
    limits: DecodeLimits = .init(), keepsData: Bool = false, progressive: Progressive = .none
  ) {
    self.priority = priority
    self.cachePolicy = cachePolicy
    self.targetSize = targetSize
    identity = RequestIdentity(url: url, headers: headers)
    choices = .unlessDefault(
      .init(
        cache: cache, transforms: transforms, limits: limits, keepsData: keepsData, progressive: progressive))
  }

  /// Returns the memory cache that the request uses, where `downloaderCache` is that of the downloader. Every memory
  /// hit calls this method, and nearly all requests use the downloader's cache.
  func cache(default downloaderCache: (any ImageRequestCache)?) -> (any ImageRequestCache)? {
    guard let choices else { return downloaderCache }
    return choices.values.decodes ? choices.values.cache.resolved(downloaderCache) : nil
  }

  /// The default `Accept` header: the formats that `ImageCodecs` decodes, then any image, then anything, because a
  /// strict server may refuse a request that accepts only images (status 406).
  public static let defaultAccept = "image/webp,image/png,image/jpeg,image/gif,image/*,*/*;q=0.8"

  /// The headers to send, with `defaultAccept` unless the request has an `Accept` of its own.
  var sentHeaders: HTTPHeaders {
    var headers = headers
    if headers.isEmpty { return Self.defaultHeaders }
    if headers["Accept"] == nil { headers.append(name: "Accept", value: Self.defaultAccept) }
    return headers
  }

  private static let defaultHeaders: HTTPHeaders = ["Accept": defaultAccept]

  /// Creates a request from a text; throws `.invalidURL` if the text is not an absolute URL.
  public init(_ text: String) throws(ImageError) {
    try self.init(text, parsed: .shared)
  }

  /// Creates a request from a text, which is parsed only if `parsed` has no identity for the text.
  init(_ text: String, parsed: ParsedTexts) throws(ImageError) {
    if let identity = parsed.identity(of: text) {
      self.init(identity)
      return
    }
    guard let url = URL(string: text), let scheme = url.scheme, !scheme.isEmpty else {
      throw .invalidURL(text)
    }
    self.init(url: url)
    parsed.insert(identity, for: text)
  }

  /// Creates a GET request with the URL of an identity and without headers.
  private init(_ identity: RequestIdentity) {
    priority = .normal
    cachePolicy = .useCache
    self.identity = identity
  }

  /// Returns the request of a task that fails at once, because its source is not a request.
  static func invalid(_ error: ImageError) -> ImageRequest {
    var url: URL?
    if case .invalidURL(let text) = error { url = URL(string: text) }
    return ImageRequest(url: url ?? URL(filePath: "/"))
  }
}

extension ImageRequest: Hashable {
  /// True if all properties are equal; transforms are compared by their identifiers.
  public static func == (a: ImageRequest, b: ImageRequest) -> Bool {
    a.url == b.url && a.headers == b.headers && a.priority == b.priority
      && a.cachePolicy == b.cachePolicy && a.cache == b.cache && a.targetSize == b.targetSize
      && a.limits == b.limits && a.keepsData == b.keepsData && a.progressive == b.progressive
      && a.animation == b.animation
      && a.decodes == b.decodes && a.validator == b.validator && a.decoding == b.decoding
      && a.keepsStoredResponse == b.keepsStoredResponse
      && a.transforms.map(\.identifier) == b.transforms.map(\.identifier)
  }

  /// Hashes the properties that differ most often: URL, size and transforms.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(targetSize)
    for transform in transforms { hasher.combine(transform.identifier) }
  }
}

extension ImageRequest.Cache: Hashable {
  /// True for the same choice; other caches are equal if they are the same instance.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.downloader, .downloader), (.memoryOnly, .memoryOnly), (.diskOnly, .diskOnly), (.none, .none): true
    case (.other(let a), .other(let b)): a === b
    default: false
    }
  }

  /// Hashes the choice, and the instance of another cache.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .downloader: hasher.combine(0)
    case .none: hasher.combine(1)
    case .other(let cache): hasher.combine(ObjectIdentifier(cache))
    case .memoryOnly: hasher.combine(2)
    case .diskOnly: hasher.combine(3)
    }
  }

  /// Returns the memory cache for this choice, where `downloaderCache` is that of the downloader; `nil` for none.
  func resolved(_ downloaderCache: (any ImageRequestCache)?) -> (any ImageRequestCache)? {
    switch self {
    case .downloader, .memoryOnly: downloaderCache
    case .other(let cache): cache
    case .none, .diskOnly: nil
    }
  }

  /// True if the disk cache is read and written.
  var usesDisk: Bool {
    switch self {
    case .downloader, .diskOnly: true
    case .memoryOnly, .other, .none: false
    }
  }
}

extension ImageRequest {
  /// True if the request reads from this machine: a file or a data URL.
  var isLocal: Bool { identity.isLocal }
}

/// A value that specifies an image to load: a `URL`, a `String` or an `ImageRequest`.
public protocol ImageRequestConvertible: Sendable {
  /// Returns the request; throws `.invalidURL` if there is none.
  func asImageRequest() throws(ImageError) -> ImageRequest
}

extension ImageRequest: ImageRequestConvertible {
  /// Returns the request itself.
  public func asImageRequest() throws(ImageError) -> ImageRequest { self }
}

extension URL: ImageRequestConvertible {
  /// Returns a GET request for the URL; throws `.invalidURL` for a relative URL.
  public func asImageRequest() throws(ImageError) -> ImageRequest {
    guard scheme != nil else { throw .invalidURL(absoluteString) }
    return ImageRequest(url: self)
  }
}

extension String: ImageRequestConvertible {
  /// Returns a GET request for the URL in the text; throws `.invalidURL` if the text is not an absolute URL.
  public func asImageRequest() throws(ImageError) -> ImageRequest { try ImageRequest(self) }
}
