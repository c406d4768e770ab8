import FoundationEssentials

/// What a downloader adds to each request, where it adds anything: most leave them as they are.
final class RequestAdditions: Sendable {
  private let headers: HTTPHeaders
  private let requestProcessor: (@Sendable (ImageRequest) -> ImageRequest)?
  private let transforms: [any ImageTransform]
  private let keyFilter: (@Sendable (URL) -> URL)?
  private let headersFilter: (@Sendable (URL, HTTPHeaders) -> HTTPHeaders)?

  /// Nil for a configuration that adds nothing.
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

  /// `request` with what it does not say itself, and with the identity that the filters give it.
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
    let own = request.headers
    let missing = headers.fields.filter { own[$0.name] == nil }
    if !missing.isEmpty { request.headers = HTTPHeaders(own.fields + missing) }
  }
}
