import VitrineGraphics

/// The same pixels: bytes that are decoded at one size. See `RequestIdentity` for the whole rule.
struct DecodeKey: Hashable {
  var request: RequestIdentity
  let target: DecodeTarget?
  let limits: DecodeLimits
  let manner: DecodeManner
  /// False if the bytes are not decoded.
  let decodes: Bool
  /// The check of bytes that are not decoded.
  let validator: DataValidator?

  init(
    _ request: RequestIdentity, target: DecodeTarget?, limits: DecodeLimits, manner: DecodeManner = .init(),
    decodes: Bool = true, validator: DataValidator? = nil
  ) {
    self.request = request
    self.target = target
    self.limits = limits
    self.manner = manner
    self.decodes = decodes
    self.validator = validator
  }

  /// Returns the options for the decoder.
  func options(_ pixelFormat: PixelFormat) -> DecodeOptions {
    DecodeOptions(target: target, pixelFormat: pixelFormat, limits: limits, custom: manner.options)
  }
}

/// The same work: pixels that become one picture by the same transforms, for the same cache.
struct PictureKey: Hashable {
  let decode: DecodeKey
  let picture: PictureIdentity
  /// Needed although `picture` may hold them: an identifier of the caller's hides them there.
  let transforms: [String]
  /// Where it is kept.
  let cache: ImageRequest.Cache

  init(_ request: ImageRequest, additionalIdentifier: String?) {
    picture = PictureIdentity(request, additionalIdentifier: additionalIdentifier)
    decode = DecodeKey(
      picture.request, target: request.targetSize, limits: request.limits, manner: request.decoding,
      decodes: request.decodes, validator: request.validator)
    transforms = request.transforms.map(\.identifier)
    cache = request.cache
  }
}

/// All sizes of a picture, in one cache.
struct PicturePlace: Hashable {
  private let picture: PictureIdentity
  private let cache: ImageRequest.Cache

  init(_ key: PictureKey) { (picture, cache) = (key.picture, key.cache) }
}

/// The same bytes, from a server if need be or without one.
struct FetchKey: Hashable {
  var request: RequestIdentity
  let asksNoServer: Bool
}

/// What one stage has of the next: another fetch of the same bytes shares none of its decodes.
struct Branch<Stage, Key: Hashable>: Hashable {
  let stage: LoadID<Stage>
  let key: Key
}

/// Numbers a stage of a load. Numbers are never used twice, so whatever arrives late for a stage that is
/// gone finds nobody (AF-D27).
struct LoadID<Stage>: Hashable, Comparable, Sendable {
  let number: UInt64

  static func < (a: LoadID, b: LoadID) -> Bool { a.number < b.number }
}

/// One caller who waits.
typealias TaskID = LoadID<Waiter>
typealias FetchID = LoadID<Fetch>
typealias DecodeID = LoadID<Decode>
typealias PictureID = LoadID<Picture>
