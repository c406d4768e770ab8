import FoundationEssentials
import VitrineGraphics

/// What a request is about, shared by its copies: all of it but what differs from one slot to the next.
final class RequestSubject: Sendable {
  let url: URL
  let headers: HTTPHeaders
  let transforms: [any ImageTransform]
  let limits: DecodeLimits
  let identity: RequestIdentity

  convenience init(
    url: URL, headers: HTTPHeaders, transforms: [any ImageTransform], limits: DecodeLimits
  ) {
    self.init(
      url: url, headers: headers, transforms: transforms, limits: limits,
      identity: RequestIdentity(url: url, headers: headers))
  }

  private init(
    url: URL, headers: HTTPHeaders, transforms: [any ImageTransform], limits: DecodeLimits,
    identity: RequestIdentity
  ) {
    self.url = url
    self.headers = headers
    self.transforms = transforms
    self.limits = limits
    self.identity = identity
  }

  func with(url: URL) -> RequestSubject {
    RequestSubject(url: url, headers: headers, transforms: transforms, limits: limits)
  }

  func with(headers: HTTPHeaders) -> RequestSubject {
    RequestSubject(url: url, headers: headers, transforms: transforms, limits: limits)
  }

  func with(transforms: [any ImageTransform]) -> RequestSubject {
    RequestSubject(url: url, headers: headers, transforms: transforms, limits: limits, identity: identity)
  }

  func with(limits: DecodeLimits) -> RequestSubject {
    RequestSubject(url: url, headers: headers, transforms: transforms, limits: limits, identity: identity)
  }
}
