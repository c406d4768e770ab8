import VitrineGraphics

/// The key of a decode: bytes, decoded at one size with one set of options. See `RequestIdentity` for all levels of
/// keys.
struct DecodeKey: Hashable {
  var request: RequestIdentity
  let target: DecodeTarget?
  let limits: DecodeLimits
  let settings: DecodeSettings
  /// False if the bytes are not decoded.
  let decodes: Bool
  /// The check of bytes that are not decoded.
  let validator: DataValidator?

  init(
    _ request: RequestIdentity, target: DecodeTarget?, limits: DecodeLimits,
    settings: DecodeSettings = .init(), decodes: Bool = true, validator: DataValidator? = nil
  ) {
    self.request = request
    self.target = target
    self.limits = limits
    self.settings = settings
    self.decodes = decodes
    self.validator = validator
  }

  /// Returns the options for the decoder.
  func options(_ pixelFormat: PixelFormat) -> DecodeOptions {
    DecodeOptions(target: target, pixelFormat: pixelFormat, limits: limits, custom: settings.options)
  }
}

/// The key of a processed image: a decode, the transforms of the decoded image, and the cache for the result.
struct ProcessedImageKey: Hashable {
  let decode: DecodeKey
  let processedImage: ImageIdentity
  /// The identifiers of the transforms. `processedImage` does not contain them if the caller gave an additional
  /// identifier.
  let transforms: [String]
  /// The cache for the processed image.
  let cache: ImageRequest.Cache

  init(_ request: ImageRequest, additionalIdentifier: String?) {
    processedImage = ImageIdentity(request, additionalIdentifier: additionalIdentifier)
    decode = DecodeKey(
      processedImage.request, target: request.targetSize, limits: request.limits, settings: request.decoding,
      decodes: request.decodes, validator: request.validator)
    transforms = request.transforms.map(\.identifier)
    cache = request.cache
  }

  private init(
    _ decode: DecodeKey, _ processedImage: ImageIdentity, _ transforms: [String], _ cache: ImageRequest.Cache
  ) {
    (self.decode, self.processedImage) = (decode, processedImage)
    (self.transforms, self.cache) = (transforms, cache)
  }

  /// Returns the key of the same image, made from the bytes of another request.
  func with(_ identity: RequestIdentity) -> ProcessedImageKey {
    var decode = decode
    decode.request = identity
    let image = ImageIdentity(
      request: identity, additionalIdentifier: processedImage.additionalIdentifier,
      transforms: processedImage.transforms)
    return ProcessedImageKey(decode, image, transforms, cache)
  }
}

/// The key of all sizes of an image in one cache.
struct AllSizesKey: Hashable {
  private let processedImage: ImageIdentity
  private let cache: ImageRequest.Cache

  init(_ key: ProcessedImageKey) { (processedImage, cache) = (key.processedImage, key.cache) }
}

/// The key of a fetch: the bytes of a request, and whether a server may be asked.
struct FetchKey: Hashable {
  var request: RequestIdentity
  let isCacheOnly: Bool
}
