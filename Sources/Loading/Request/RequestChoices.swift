/// What a request says beyond which bytes it asks for, where it says anything: most leave all of it as is usual.
final class RequestChoices: Sendable {
  let cache: ImageRequest.Cache
  let transforms: [any ImageTransform]
  let limits: DecodeLimits

  private init(cache: ImageRequest.Cache, transforms: [any ImageTransform], limits: DecodeLimits) {
    self.cache = cache
    self.transforms = transforms
    self.limits = limits
  }

  /// Nil for the downloader's cache, no transforms and the usual limits.
  static func unlessUsual(
    cache: ImageRequest.Cache, transforms: [any ImageTransform], limits: DecodeLimits
  ) -> RequestChoices? {
    if case .downloader = cache, transforms.isEmpty, limits == DecodeLimits() { return nil }
    return RequestChoices(cache: cache, transforms: transforms, limits: limits)
  }
}
