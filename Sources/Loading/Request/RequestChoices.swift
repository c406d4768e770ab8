/// What a request says beyond which bytes it asks for, where it says anything: most leave all of it as is usual.
final class RequestChoices: Sendable {
  let cache: ImageRequest.Cache
  let transforms: [any ImageTransform]
  let limits: DecodeLimits
  let keepsData: Bool

  private init(
    cache: ImageRequest.Cache, transforms: [any ImageTransform], limits: DecodeLimits, keepsData: Bool
  ) {
    self.cache = cache
    self.transforms = transforms
    self.limits = limits
    self.keepsData = keepsData
  }

  /// Nil for the downloader's cache, no transforms, the usual limits, and no bytes wanted.
  static func unlessUsual(
    cache: ImageRequest.Cache, transforms: [any ImageTransform], limits: DecodeLimits, keepsData: Bool
  ) -> RequestChoices? {
    if case .downloader = cache, transforms.isEmpty, limits == DecodeLimits(), !keepsData { return nil }
    return RequestChoices(cache: cache, transforms: transforms, limits: limits, keepsData: keepsData)
  }
}
