/// What a request says beyond which bytes it asks for, where it says anything: most leave all of it as is usual.
final class RequestChoices: Sendable {
  let cache: ImageRequest.Cache
  let transforms: [any ImageTransform]
  let limits: DecodeLimits
  let keepsData: Bool
  let progressive: ImageRequest.Progressive
  let decodes: Bool

  private init(
    cache: ImageRequest.Cache, transforms: [any ImageTransform], limits: DecodeLimits, keepsData: Bool,
    progressive: ImageRequest.Progressive, decodes: Bool
  ) {
    self.cache = cache
    self.transforms = transforms
    self.limits = limits
    self.keepsData = keepsData
    self.progressive = progressive
    self.decodes = decodes
  }

  /// Nil for the downloader's cache, no transforms, the usual limits, no bytes wanted and images decoded and shown when they are whole.
  static func unlessUsual(
    cache: ImageRequest.Cache, transforms: [any ImageTransform], limits: DecodeLimits, keepsData: Bool,
    progressive: ImageRequest.Progressive, decodes: Bool = true
  ) -> RequestChoices? {
    if case .downloader = cache, transforms.isEmpty, limits == DecodeLimits(), !keepsData,
      progressive == .none, decodes
    {
      return nil
    }
    return RequestChoices(
      cache: cache, transforms: transforms, limits: limits, keepsData: keepsData,
      progressive: progressive, decodes: decodes)
  }
}
