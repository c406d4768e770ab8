extension ImageTask {
  /// Creates a load without a caller, which asks the server whether an image has changed.
  static func revalidation(of request: ImageRequest, _ identifier: String?) -> ImageTask {
    var request = request
    request.cachePolicy = .refresh
    request.priority = .veryLow
    request.progressive = .none
    return ImageTask(request, additionalIdentifier: identifier, purpose: .probe)
  }
}
