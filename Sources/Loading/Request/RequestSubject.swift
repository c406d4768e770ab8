import FoundationEssentials
import VitrineGraphics

/// What a request is about, shared by its copies: all of it but what differs from one slot to the next.
final class RequestSubject: Sendable {
  let url: URL
  let headers: HTTPHeaders
  let transforms: [any ImageTransform]
  let limits: DecodeLimits
  let cache: ImageRequest.Cache
  let identity: RequestIdentity

  /// - Parameter identity: of URL and headers, where it is known.
  init(
    url: URL, headers: HTTPHeaders, transforms: [any ImageTransform], limits: DecodeLimits,
    cache: ImageRequest.Cache, identity: RequestIdentity? = nil
  ) {
    self.url = url
    self.headers = headers
    self.transforms = transforms
    self.limits = limits
    self.cache = cache
    self.identity = identity ?? RequestIdentity(url: url, headers: headers)
  }

  func with(url: URL) -> RequestSubject {
    RequestSubject(url: url, headers: headers, transforms: transforms, limits: limits, cache: cache)
  }

  func with(headers: HTTPHeaders) -> RequestSubject {
    RequestSubject(url: url, headers: headers, transforms: transforms, limits: limits, cache: cache)
  }

  func with(transforms: [any ImageTransform]) -> RequestSubject {
    RequestSubject(
      url: url, headers: headers, transforms: transforms, limits: limits, cache: cache, identity: identity)
  }

  func with(limits: DecodeLimits) -> RequestSubject {
    RequestSubject(
      url: url, headers: headers, transforms: transforms, limits: limits, cache: cache, identity: identity)
  }

  func with(cache: ImageRequest.Cache) -> RequestSubject {
    RequestSubject(
      url: url, headers: headers, transforms: transforms, limits: limits, cache: cache, identity: identity)
  }
}
