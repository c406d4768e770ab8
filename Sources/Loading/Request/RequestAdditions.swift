import FoundationEssentials

/// The changes that the configuration of a downloader makes to each request.
final class RequestAdditions: Sendable {
  private let headers: HTTPHeaders
  private let requestProcessor: (@Sendable (ImageRequest) -> ImageRequest)?
  private let transforms: [any ImageTransform]
  private let keyFilter: (@Sendable (URL) -> URL)?
  private let headersFilter: (@Sendable (URL, HTTPHeaders) -> HTTPHeaders)?

  /// Returns nil for a configuration that makes no changes.
  init?(_ configuration: ImageDownloader.Configuration) {
    headers = configuration.headers
    requestProcessor = configuration.requestProcessor
    transforms = configuration.transforms
    keyFilter = configuration.keyFilter
    headersFilter = configuration.headersFilter
    if headers.isEmpty, requestProcessor == nil, transforms.isEmpty, keyFilter == nil, headersFilter == nil {
      return nil
    }
  }

  /// Returns `request` with default headers and transforms where missing, with the changes of the request processor,
  /// and with the identity that the filters give.
  func completing(_ request: ImageRequest) -> ImageRequest {
    var request = request
    addHeaders(to: &request)
    if let requestProcessor {
      request = requestProcessor(request)
      // The processor may have replaced the request.
      addHeaders(to: &request)
    }
    if !transforms.isEmpty, request.transforms.isEmpty { request.transforms = transforms }
    if keyFilter != nil || headersFilter != nil {
      let url = request.url
      request.identity = RequestIdentity(
        url: url, headers: headersFilter?(url, request.headers) ?? request.headers, key: keyFilter?(url))
    }
    return request
  }

  private func addHeaders(to request: inout ImageRequest) {
    guard !headers.isEmpty else { return }
    let requestHeaders = request.headers
    let missing = headers.fields.filter { requestHeaders[$0.name] == nil }
    if !missing.isEmpty { request.headers = HTTPHeaders(requestHeaders.fields + missing) }
  }
}
