/// The changes that the configuration of a downloader makes to each request.
final class RequestAdditions: Sendable {
  private let settings: ImageDownloader.Configuration.Requests

  /// Returns nil for settings that make no changes.
  init?(_ settings: ImageDownloader.Configuration.Requests) {
    if settings.headers.isEmpty, settings.transforms.isEmpty, settings.processor == nil,
      settings.keyFilter == nil, settings.headersFilter == nil
    {
      return nil
    }
    self.settings = settings
  }

  /// Returns `request` with default headers and transforms where missing, with the changes of the request processor,
  /// and with the identity that the filters give.
  func completing(_ request: ImageRequest) -> ImageRequest {
    var request = request
    addHeaders(to: &request)
    if let process = settings.processor {
      request = process(request)
      // The processor may have replaced the request.
      addHeaders(to: &request)
    }
    if !settings.transforms.isEmpty, request.transforms.isEmpty { request.transforms = settings.transforms }
    if settings.keyFilter != nil || settings.headersFilter != nil {
      let url = request.url
      request.identity = RequestIdentity(
        url: url, headers: settings.headersFilter?(url, request.headers) ?? request.headers,
        key: settings.keyFilter?(url))
    }
    return request
  }

  private func addHeaders(to request: inout ImageRequest) {
    guard !settings.headers.isEmpty else { return }
    let requestHeaders = request.headers
    let missing = settings.headers.fields.filter { requestHeaders[$0.name] == nil }
    if !missing.isEmpty { request.headers = HTTPHeaders(requestHeaders.fields + missing) }
  }
}
